"""The templates of studies in which people play the water auction, rate their own play, and then that of others."""

# The study of "ALYMPICS: LLM agents meet game theory", section 7 and appendix A.5: who judges has played, rates that
# play, and then 15 of the 30 records that were judged there, each by 5; the criteria are the paper's, in our words. The
# records come in by `likely-human import alympics`, under these names.
WATER_JUDGES = """\
study: water-judges
title: "How well is the water auction played?"
consent:
  version: "1"
  text: |
    # Taking part in this study

    This study is run by [NAME OF THE LAB, INSTITUTION].

    Please read this page before you decide whether to take part.

    ## What it is about

    We want to learn how people judge what players of a game did and why they say they did it.

    ## What you will do

    You will play a game of bids yourself, for up to 20 days of the game. The other players may be people or computer
    programs. Then you will say how well you played, read 15 records of the game, one at a time, and rate each of
    them on five or six scales, with your reasons. This takes about [NUMBER] minutes. There are no right or wrong
    answers.

    ## Taking part is voluntary

    You can stop at any time: the button *Leave* ends your part of the game, and the others go on. There is no
    disadvantage. What you did before stopping stays stored, unless you have it deleted: *Stop and delete my
    answers*, at the foot of each page, does so at once. Your moves in a match with other people stay in that match,
    without your number and without what you wrote as reasons.

    [SAY HERE WHETHER AND HOW PEOPLE ARE PAID, AND WHAT HAPPENS TO THE PAYMENT WHEN SOMEONE STOPS.]

    ## What is recorded

    - that you agreed, when, and to which version of this text;
    - your answers, your bids and the reasons that you write, and how long you took for each;
    - which parts of a record were in view, for how long, and whether the page was hidden;
    - the participant number that a recruitment service passes on, if you came through one.

    We do not ask for your name or your address. Please do not write anything into the text boxes that would tell who
    you are. If you do not agree, nothing is stored but the fact that someone declined.

    ## What happens to it

    Answers are kept on a computer of [INSTITUTION, COUNTRY] until [DATE OR PERIOD]. Answers without participant
    numbers may be published or shared with other researchers. [NAME THE LEGAL BASIS WHERE YOUR LAW ASKS FOR ONE.]

    ## Questions, complaints, deletion

    [NAME, E-MAIL ADDRESS] answers questions, and deletes your answers on request: please give the day and time at
    which you took part and, if you came through a recruitment service, your participant number there. With the code
    that the last page shows you can also delete them yourself, then or later. The study was approved by [ETHICS
    BOARD, NUMBER]; complaints go to [E-MAIL ADDRESS].
  minimum_age: 18
truth: {source: none}
blocks:
  - id: play
    task: game
    instructions: |
      # The game

      Five people live through 20 days of drought, and you are one of them. Each day you are paid, you see how
      much water there is, and everybody bids once for what they need. Nobody sees the bids of the others before all
      are in. The highest bids that fit into what is left get water and pay what they bid.

      Water adds health; the first day without costs 1, the second in a row 2, and so on. Who has no health left is
      out. **Your goal is to be alive after the last day.**

      The rules stay at hand on the page. You have two minutes for each bid.
    game: wac
    configs:
      - {supply_low: 10, supply_high: 20}
      - {supply_low: 15, supply_high: 25}
      - {supply_low: 20, supply_high: 30}
    seats: any
    matching: {wait_max_s: 60, at_bound: agents}
    deadlines: {bid_s: 120}
    comprehension:
      questions:
        - id: losers
          ask: "You bid 40 dollars and get no water. What do you pay?"
          options: [40 dollars, Half of it, Nothing]
          answer: Nothing
    reasons: optional
  - id: rate
    task: rating
    instructions: |
      # Rating players

      You have played the game, and now you judge: first yourself, then 15 players, one at a time. You read what a
      player was told and did on each day of a game, and why, as the player put it.

      1. **Read the whole record.** What could the player know, and when?
      2. **Rate the player on each scale** from 1 to 5. Beside each point stands what it means. Judge each scale by
         itself, and by the situation that the player was in.
      3. **Say why** you gave each score.

      Some players were told who they are, such as a teacher or a mathematician. Of these you are asked as well
      whether what they do fits that character.

      There is no time limit. You cannot go back to a record that you have saved.
    items: |
      item,stimulus,text,condition,kind,group
      wac-no-persona-10-20-2-alex,wac-no-persona-10-20-2-alex,,,main,no-persona
      wac-no-persona-10-20-2-david,wac-no-persona-10-20-2-david,,,main,no-persona
      wac-no-persona-10-20-3-david,wac-no-persona-10-20-3-david,,,main,no-persona
      wac-no-persona-10-20-7-bob,wac-no-persona-10-20-7-bob,,,main,no-persona
      wac-no-persona-10-20-10-eric,wac-no-persona-10-20-10-eric,,,main,no-persona
      wac-no-persona-15-25-2-eric,wac-no-persona-15-25-2-eric,,,main,no-persona
      wac-no-persona-15-25-5-bob,wac-no-persona-15-25-5-bob,,,main,no-persona
      wac-no-persona-15-25-5-cindy,wac-no-persona-15-25-5-cindy,,,main,no-persona
      wac-no-persona-15-25-10-eric,wac-no-persona-15-25-10-eric,,,main,no-persona
      wac-no-persona-20-30-1-bob,wac-no-persona-20-30-1-bob,,,main,no-persona
      wac-no-persona-20-30-3-alex,wac-no-persona-20-30-3-alex,,,main,no-persona
      wac-no-persona-20-30-3-david,wac-no-persona-20-30-3-david,,,main,no-persona
      wac-no-persona-20-30-5-cindy,wac-no-persona-20-30-5-cindy,,,main,no-persona
      wac-no-persona-20-30-6-alex,wac-no-persona-20-30-6-alex,,,main,no-persona
      wac-no-persona-20-30-7-cindy,wac-no-persona-20-30-7-cindy,,,main,no-persona
      wac-persona-10-20-2-cindy,wac-persona-10-20-2-cindy,,,main,persona
      wac-persona-10-20-2-eric,wac-persona-10-20-2-eric,,,main,persona
      wac-persona-10-20-4-cindy,wac-persona-10-20-4-cindy,,,main,persona
      wac-persona-10-20-7-eric,wac-persona-10-20-7-eric,,,main,persona
      wac-persona-10-20-10-alex,wac-persona-10-20-10-alex,,,main,persona
      wac-persona-15-25-2-eric,wac-persona-15-25-2-eric,,,main,persona
      wac-persona-15-25-3-david,wac-persona-15-25-3-david,,,main,persona
      wac-persona-15-25-5-alex,wac-persona-15-25-5-alex,,,main,persona
      wac-persona-15-25-5-bob,wac-persona-15-25-5-bob,,,main,persona
      wac-persona-15-25-6-bob,wac-persona-15-25-6-bob,,,main,persona
      wac-persona-15-25-9-alex,wac-persona-15-25-9-alex,,,main,persona
      wac-persona-20-30-1-cindy,wac-persona-20-30-1-cindy,,,main,persona
      wac-persona-20-30-3-david,wac-persona-20-30-3-david,,,main,persona
      wac-persona-20-30-9-bob,wac-persona-20-30-9-bob,,,main,persona
      wac-persona-20-30-10-david,wac-persona-20-30-10-david,,,main,persona
    per_participant: 15
    per_item: 5
    self_assessment: |
      # How did you play?

      Before you rate others, think of the game that you have just played. *The player* is you.
    self_assessed: before
    order: random
    questions:
      - id: iu
        type: likert
        ask: "Information: does the player use what there was to know?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: "ignores what is known, or decides too late"
          2: overlooks a part of what is known
          3: uses the main points and misses some
          4: "uses nearly all of it, to sensible ends"
          5: "uses all of it, and in time"
      - {id: iu_reason, type: text, ask: "Information: why this score?", required: true}
      - id: lr
        type: likert
        ask: "Reasoning: do the moves follow from the situation?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: as good as random
          2: clear mistakes in the thinking
          3: most moves follow from what is known
          4: well founded from beginning to end
          5: a better move could hardly be found
      - {id: lr_reason, type: text, ask: "Reasoning: why this score?", required: true}
      - id: se
        type: likert
        ask: "Strategy: does the way of playing serve the goal?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: "plain, and does not work"
          2: "one idea, which works a little"
          3: works in some situations
          4: "works mostly; the main factors are weighed"
          5: "works very well, and gives an edge over the others"
      - {id: se_reason, type: text, ask: "Strategy: why this score?", required: true}
      - id: ad
        type: likert
        ask: "Adaptation: does the player change course as things change?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: "stays with one way, or changes too late"
          2: changes little
          3: changes now and then
          4: changes when the situation asks for it
          5: is ahead of what changes
      - {id: ad_reason, type: text, ask: "Adaptation: why this score?", required: true}
      - id: lp
        type: likert
        ask: "Planning: does the player think beyond the day?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: from day to day
          2: "thinks ahead at times, and mostly of today"
          3: "plans ahead, with lapses"
          4: plans ahead and keeps to it
          5: has the whole game in view
      - {id: lp_reason, type: text, ask: "Planning: why this score?", required: true}
      - id: ia
        type: likert
        ask: "Character: do moves and words fit who the player is said to be?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: the character does not show
          2: little of it shows
          3: "fits in general, without depth"
          4: "fits well; the character can be recognised"
          5: could be nobody else
        when: {group: persona}
      - {id: ia_reason, type: text, ask: "Character: why this score?", required: true, when: {group: persona}}
completion:
  message: |
    # Thank you

    You have finished, and all your answers are saved.

    If you would like to know the results, or want your answers deleted, write to [NAME, E-MAIL ADDRESS].
"""

PLAY_AND_RATE = """\
study: play-and-rate
title: "Play, rate yourself, rate others"
consent:
  version: "1"
  text: |
    # Taking part in this study

    This study is run by [NAME OF THE LAB, INSTITUTION].

    Please read this page before you decide whether to take part.

    ## What it is about

    We want to learn how people play a game, and how they judge the play of others.

    ## What you will do

    You will read the rules of a game of bids, answer one question on them, and play it for up to ten days of the
    game. Some of the other players may be computer programs. With each bid you say why you make it. Then you rate
    how well you played, and after that what [NUMBER] other players did. This takes about [NUMBER] minutes.

    ## Taking part is voluntary

    You can stop at any time: the button *Leave* ends your part of the game, and the others go on. There is no
    disadvantage. What you did before stopping stays stored, unless you have it deleted: *Stop and delete my
    answers*, at the foot of each page, does so at once. Your moves in a match with other people stay in that match,
    without your number and without what you wrote as reasons.

    [SAY HERE WHETHER AND HOW PEOPLE ARE PAID, AND WHAT HAPPENS TO THE PAYMENT WHEN SOMEONE STOPS.]

    ## What is recorded

    - that you agreed, when, and to which version of this text;
    - your answers, your bids and the reasons that you write, and how long you took for each;
    - which parts of a record were in view, for how long, and whether the page was hidden;
    - the participant number that a recruitment service passes on, if you came through one.

    We do not ask for your name or your address. Please do not write anything into the text boxes that would tell who
    you are. If you do not agree, nothing is stored but the fact that someone declined.

    **Others may read how you played.** A record of the game, with its bids and the reasons that you wrote and
    without anything else that tells who you are, may be shown to other people, who rate it.

    ## What happens to it

    Answers are kept on a computer of [INSTITUTION, COUNTRY] until [DATE OR PERIOD]. Answers without participant
    numbers may be published or shared with other researchers. [NAME THE LEGAL BASIS WHERE YOUR LAW ASKS FOR ONE.]

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
      # The game

      Five people live through ten days of drought, and you are one of them. Each day you are paid, you see how
      much water there is, and everybody bids once for what they need. Nobody sees the bids of the others before all
      are in. The highest bids that fit into what is left get water and pay what they bid.

      Water adds health; the first day without costs 1, the second in a row 2, and so on. Who has no health left is
      out. **Your goal is to be alive after the last day.**

      The rules stay at hand on the page. You have two minutes for each bid.
    game: wac
    configs: {days: 10}
    seats: any
    matching: {wait_max_s: 300, at_bound: agents}
    deadlines: {bid_s: 120}
    comprehension:
      questions:
        - id: losers
          ask: "You bid 40 dollars and get no water. What do you pay?"
          options: [40 dollars, Half of it, Nothing]
          answer: Nothing
    reasons: required
  - id: rate
    task: rating
    instructions: |
      # Rating players

      You have played the game, and now you judge: first yourself, then others, one at a time. You read what a player
      did on each day of a game.

      1. **Read the whole record.** What could the player know, and when?
      2. **Rate the player on each scale** from 1 to 5. Beside each point stands what it means.
      3. **Say why** in a sentence or two.

      There is no time limit. You cannot go back to a record that you have saved.
    items: |
      item,stimulus,text,condition,kind,group
      record-1,,[REPLACE THIS BY THE FIRST RECORD],,main,
      record-2,,[REPLACE THIS BY THE SECOND RECORD],,main,
    per_item: 5
    when_full: skip
    self_assessment: |
      # How did you play?

      Before you rate others, think of the game that you have just played. *The player* is you.
    self_assessed: before
    order: random
    questions:
      - id: iu
        type: likert
        ask: "Information: does the player use what there was to know?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: "ignores what is known, or decides too late"
          2: overlooks a part of what is known
          3: uses the main points and misses some
          4: "uses nearly all of it, to sensible ends"
          5: "uses all of it, and in time"
      - id: lr
        type: likert
        ask: "Reasoning: do the moves follow from the situation?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: as good as random
          2: clear mistakes in the thinking
          3: most moves follow from what is known
          4: well founded from beginning to end
          5: a better move could hardly be found
      - id: se
        type: likert
        ask: "Strategy: does the way of playing serve the goal?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: "plain, and does not work"
          2: "one idea, which works a little"
          3: works in some situations
          4: "works mostly; the main factors are weighed"
          5: "works very well, and gives an edge over the others"
      - id: ad
        type: likert
        ask: "Adaptation: does the player change course as things change?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: "stays with one way, or changes too late"
          2: changes little
          3: changes now and then
          4: changes when the situation asks for it
          5: is ahead of what changes
      - id: lp
        type: likert
        ask: "Planning: does the player think beyond the day?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: from day to day
          2: "thinks ahead at times, and mostly of today"
          3: "plans ahead, with lapses"
          4: plans ahead and keeps to it
          5: has the whole game in view
      - {id: reason, type: text, ask: "What led you to these scores?", required: true}
completion:
  message: |
    # Thank you

    You have finished, and all your answers are saved.

    If you would like to know the results, or want your answers deleted, write to [NAME, E-MAIL ADDRESS].
"""
