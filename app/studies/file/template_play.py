"""The templates of studies about play: matches of a game and walks on the map in the browser, and which of two players
is human."""

PLAY = """\
study: ultimatum
title: A game of offers
consent:
  version: "1"
  text: |
    # Taking part in this study

    This study is run by [NAME OF THE LAB, INSTITUTION].

    Please read this page before you decide whether to take part.

    ## What it is about

    We want to learn how people decide when they share something with others.

    ## What you will do

    You will read the rules of a game, answer one question on them, wait until others are there, and play eight
    rounds with four other players. Some of them may be computer programs. This takes about [NUMBER] minutes.

    ## Taking part is voluntary

    You can stop at any time: the button *Leave* ends your part of the game, and the others go on. There is no
    disadvantage. What you did before stopping stays stored, unless you have it deleted: *Stop and delete my
    answers*, at the foot of each page, does so at once. Your moves in a match with other people stay in that match,
    without your number.

    Every point that you earn in the game pays [AMOUNT]. [SAY HERE WHAT IS PAID BESIDE IT, AND WHAT HAPPENS TO
    THE PAYMENT WHEN SOMEONE STOPS.]

    ## What is recorded

    - that you agreed, when, and to which version of this text;
    - your answers, every offer and decision, and how long you took for each;
    - the participant number that a recruitment service passes on, if you came through one.

    We do not ask for your name or your address. If you do not agree, nothing is stored but the fact that
    someone declined.

    **Others may read how you played.** A record of the game, with its offers and decisions and nothing that
    tells who you are, may be shown to other people, who say whether a person or a program played.

    ## What happens to it

    Answers are kept on a computer of [INSTITUTION, COUNTRY] until [DATE OR PERIOD]. Answers without participant
    numbers may be published or shared with other researchers. [NAME THE LEGAL BASIS WHERE YOUR LAW ASKS FOR
    ONE.]

    ## Questions, complaints, deletion

    [NAME, E-MAIL ADDRESS] answers questions, and deletes your answers on request: please give the day and time at
    which you took part and, if you came through a recruitment service, your participant number there. With the code
    that the last page shows you can also delete them yourself, then or later. The study was approved by [ETHICS
    BOARD, NUMBER]; complaints go to [E-MAIL ADDRESS].
  minimum_age: 18
  play_shown: true
truth: {source: none}
blocks:
  - id: play
    task: game
    instructions: |
      # What to do

      Five players sit at a table. In each of eight rounds everybody offers part of 10 points to **one** other
      player of their choice. Then everybody decides on the offers that they got.

      - An **accepted** offer is divided as offered: the one who made it keeps the rest.
      - A **rejected** offer pays nobody.

      You may get several offers in a round, or none. You see your own offers, the offers made to you, and what
      became of them.

      You have a minute and a half for each move. If you do not move in time, a move is made for you.
    game: sug
    configs: {rounds: 8}
    seats: any
    matching: {wait_max_s: 300, at_bound: agents}
    deadlines: {offer_s: 90, answer_s: 90}
    comprehension:
      questions:
        - id: rejected
          ask: "You offer 4 of 10 to somebody, who rejects the offer. What do you get of it?"
          options: ["6", "4", Nothing]
          answer: Nothing
    bonus: {minor_per_unit: 2, cap_minor: 300, currency: GBP}
completion:
  message: |
    # Thank you

    The game is over, and every move is saved.

    If you would like to know the results, or want what you did deleted, write to [NAME, E-MAIL ADDRESS].
"""

WHICH_PLAYER = """\
study: which-player
title: "Which player is more likely to be human?"
consent:
  version: "1"
  text: |
    # Taking part in this study

    This study is run by [NAME OF THE LAB, INSTITUTION].

    Please read this page before you decide whether to take part.

    ## What it is about

    We want to learn how people tell whether a player of a game is a person or a program.

    ## What you will do

    You will read [NUMBER] pairs of records of a game, side by side, and answer three questions about each pair.
    This takes about [NUMBER] minutes. There are no trick questions, and we do not test your ability.

    ## Taking part is voluntary

    You can stop at any time by closing the page, without giving a reason and without any disadvantage. Answers that
    you gave before stopping stay stored, unless you have them deleted: *Stop and delete my answers*, at the foot of
    each page, does so at once. [SAY HERE WHETHER AND HOW PEOPLE ARE PAID, AND WHAT HAPPENS TO THE PAYMENT WHEN
    SOMEONE STOPS.]

    ## What is recorded

    - that you agreed, when, and to which version of this text;
    - your answers, and how long you took for each;
    - which parts of a record were in view, for how long, and whether the page was hidden;
    - the participant number that a recruitment service passes on, if you came through one.

    We do not ask for your name or your address. Please do not write anything into the text boxes that would
    tell who you are. If you do not agree, nothing is stored but the fact that someone declined.

    ## What happens to it

    Answers are kept on a computer of [INSTITUTION, COUNTRY] until [DATE OR PERIOD]. Answers without participant
    numbers may be published or shared with other researchers. [NAME THE LEGAL BASIS WHERE YOUR LAW ASKS FOR
    ONE.]

    ## Questions, complaints, deletion

    [NAME, E-MAIL ADDRESS] answers questions, and deletes your answers on request: please give the day and time at
    which you took part and, if you came through a recruitment service, your participant number there. With the code
    that the last page shows you can also delete them yourself, then or later. The study was approved by [ETHICS
    BOARD, NUMBER]; complaints go to [E-MAIL ADDRESS].
  minimum_age: 18
instructions: |
  # What to do

  You will read pairs of records of a game, side by side. Each shows what one player saw and did, round by
  round. In one of them the player may be a person, in the other a program.

  [SAY IN TWO SENTENCES WHAT THE GAME IS.]

  1. **Read both records** to the end.
  2. **Answer three questions:** which player is more likely to be human, why you think so, and how certain
     you are.
  3. Save, and go on to the next pair.

  There is no time limit. If you are not sure, choose the one that seems more likely to you, and say how
  uncertain you are. You cannot go back to a pair that you have saved.

  If you have to stop, keep this page's address and come back to it: you will continue where you were.
sample: {seed: 7, use: even, conditions: {human-adaptive: 6, human-dba: 4}, pairing: same-config}
trials:
  order: random
  sides: balanced
  questions:
    - {id: choice, type: 2afc, ask: "Which player is more likely to be human?"}
    - id: rationale
      type: text
      ask: "Why do you think this is the case? Please provide as much detail as possible."
    - id: uncertainty
      type: likert
      ask: "How certain are you of your choice?"
      labels: [extremely certain, somewhat certain, neutral, somewhat uncertain, extremely uncertain]
completion:
  message: |
    # Thank you

    You have finished, and all your answers are saved.

    Your answers show how well people can tell programs from people by how they play.

    If you would like to know the results, or want your answers deleted, write to [NAME, E-MAIL ADDRESS].
"""

WALK = """\
study: walk-the-map
title: Walk the map
consent:
  version: "1"
  text: |
    # Taking part in this study

    This study is run by [NAME OF THE LAB, INSTITUTION].

    Please read this page before you decide whether to take part.

    ## What it is about

    We want to learn how people find their way in a video game, and how that differs from what programs do.

    ## What you will do

    You will walk through a small world on your screen, in first person, to one blue goal after another: one walk
    to practise, and three that count. This takes about [NUMBER] minutes. You need a keyboard and a mouse, or a
    touch screen. If moving pictures of this kind make you dizzy, please do not take part, or stop when they do.

    ## Taking part is voluntary

    You can stop at any time by closing the page, without giving a reason and without any disadvantage. Walks that
    you took before stopping stay stored, unless you have them deleted: *Stop and delete my answers*, at the foot of
    each page, does so at once. [SAY HERE WHETHER AND HOW PEOPLE ARE PAID, AND WHAT HAPPENS TO THE PAYMENT WHEN
    SOMEONE STOPS.]

    ## What is recorded

    - that you agreed, when, and to which version of this text;
    - which of the keys for walking you press and how you turn, thirty times a second while you walk, and nothing
      else that you type;
    - how smoothly your browser draws, what you walk by (keys, mouse or touch), and whether the page is hidden;
    - the participant number that a recruitment service passes on, if you came through one.

    We do not ask for your name or your address. If you do not agree, nothing is stored but the fact that
    someone declined.

    **Others may watch how you walked.** Your walks become short videos, which show what you saw and nothing that
    tells who you are. They may be shown to other people and to programs, who say whether a person or a program
    walked.

    ## What happens to it

    Walks are kept on a computer of [INSTITUTION, COUNTRY] until [DATE OR PERIOD]. Walks and videos without
    participant numbers may be published or shared with other researchers. [NAME THE LEGAL BASIS WHERE YOUR LAW
    ASKS FOR ONE.]

    ## Questions, complaints, deletion

    [NAME, E-MAIL ADDRESS] answers questions, and deletes your walks on request: please give the day and time at
    which you took part and, if you came through a recruitment service, your participant number there. With the code
    that the last page shows you can also delete them yourself, then or later. The study was approved by [ETHICS
    BOARD, NUMBER]; complaints go to [E-MAIL ADDRESS].
  minimum_age: 18
  play_shown: true
truth: {source: none}
background:
  - {id: game_familiarity, ask: "How familiar are you with video games seen in first person?", scale: familiarity}
blocks:
  - id: walk
    task: walk
    instructions: |
      # What to do

      You stand somewhere on a map. One place on it is **blue**: that is your goal. Walk there as you would in a
      game.

      - **Keyboard:** W, A, S, D or the arrow keys walk. **Mouse:** moving it turns you.
      - **Telephone or tablet:** drag on the left to walk, on the right to turn.

      The small map shows where you are and where the goal is. A walk ends when you reach the goal, or after a
      minute and a half. The first one is for practice.
    goals: 6
    walks: 3
    practice: 1
    limit_s: 90
completion:
  message: |
    # Thank you

    You have finished, and all your walks are saved.

    If you would like to know the results, or want your walks deleted, write to [NAME, E-MAIL ADDRESS].
"""
