"""The study files of templates. Text for the experimenter to fill in is in [BRACKETS]."""

# The published Human Navigation Turing Test (Devlin et al., ICML 2021, appendix A.2): its questions, answers and order
# of pages; the texts are those of docs/example-study. Familiarity is one of a list and no scale: its last answer,
# Other, is no amount, and no mean should count it.
HNTT = """\
study: hntt
title: "Which navigation looks human?"
consent:
  version: "1"
  text: |
    # Taking part in this study

    This study is run by [NAME OF THE LAB, INSTITUTION].

    Please read this page before you decide whether to take part.

    ## What it is about

    We want to learn how people tell whether a character in a video game is moved by a person or by a program.

    ## What you will do

    You will answer two questions about yourself, watch [NUMBER] pairs of short videos without sound, and answer three
    questions about each pair. This takes about [NUMBER] minutes. There are no trick questions, and we do not test your
    ability.

    ## Taking part is voluntary

    You can stop at any time by closing the page, without giving a reason and without any disadvantage. Answers that
    you gave before stopping stay stored, unless you have them deleted: *Stop and delete my answers*, at the foot of
    each page, does so at once. [SAY HERE WHETHER AND HOW PEOPLE ARE PAID, AND WHAT HAPPENS TO THE PAYMENT WHEN
    SOMEONE STOPS.]

    ## What is recorded

    - that you agreed, when, and to which version of this text;
    - your answers, and how long you took for each;
    - how each video was played: what was watched and replayed, whether it stalled, and whether the page was hidden;
    - the participant number that a recruitment service passes on, if you came through one.

    We do not ask for your name or your address. Please do not write anything into the text boxes that would tell who
    you are. If you do not agree, nothing is stored but the fact that someone declined.

    ## What happens to it

    Answers are kept on a computer of [INSTITUTION, COUNTRY] until [DATE OR PERIOD]. Answers without participant
    numbers may be published or shared with other researchers. [NAME THE LEGAL BASIS WHERE YOUR LAW ASKS FOR ONE.]

    ## Risks and benefits

    We know of no risk beyond that of watching short, calm videos of a game. You have no direct benefit.

    ## Questions, complaints, deletion

    [NAME, E-MAIL ADDRESS] answers questions, and deletes your answers on request: please give the day and time at
    which you took part and, if you came through a recruitment service, your participant number there. With the code
    that the last page shows you can also delete them yourself, then or later. The study was approved by [ETHICS
    BOARD, NUMBER]; complaints go to [E-MAIL ADDRESS].
  minimum_age: 18
background:
  - id: genre_familiarity
    type: choice
    ask: "How familiar are you with third-person action video games, in which the camera follows the character?"
    options:
      - Never heard of them
      - I am aware but have never played them
      - I play only sometimes
      - I play on a regular basis
      - Other
  - id: title_familiarity
    type: choice
    ask: "How familiar are you with the video game [TITLE OF THE GAME]?"
    options:
      - Never heard of it
      - I am aware but have never played it
      - I play only sometimes
      - I play on a regular basis
      - Other
instructions: |
  # What to do

  You will see pairs of short videos, side by side. Each shows a character in a video game on its way to a goal. In
  one video the character may be moved by a person, in another by a program.

  1. **Watch both videos to the end.** They start together and have no sound. You can pause them and play them again
     as often as you like.
  2. **Answer three questions:** which video is more likely to be human, why you think so, and how certain you are.
  3. Save, and go on to the next pair.

  Look at how the character moves, not at how sharp or smooth the picture is. There is no time limit. If you are not
  sure, choose the video that seems more likely to you, and say how uncertain you are. You cannot go back to a pair
  that you have saved.

  If you have to stop, keep this page's address and come back to it: you will continue where you were.
sample: {match: goal, seed: 7, use: even, conditions: {human-hybrid: 6, hybrid-symbolic: 4}}
trials:
  order: random
  sides: balanced
  watch: both-to-end
  questions:
    - {id: choice, type: 2afc, ask: "Which video is more likely to be human?"}
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

    We asked because programs that move like people are hard to build, and harder to judge. Your answers show how well
    people can tell them apart, and they are used to check programs that try to make the same judgement.

    Some pairs showed no person at all: which of two programs looks more human is just as useful to know.

    If you would like to know the results, or want your answers deleted, write to [NAME, E-MAIL ADDRESS].
"""

PREFERENCE = """\
study: preference
title: "Which video do you prefer?"
consent:
  version: "1"
  text: |
    # Taking part in this study

    This study is run by [NAME OF THE LAB, INSTITUTION].

    Please read this page before you decide whether to take part.

    ## What it is about

    We want to learn which of two videos people prefer, and why. [SAY IN A SENTENCE WHAT THE VIDEOS SHOW.]

    ## What you will do

    You will watch [NUMBER] pairs of short videos without sound, and answer three questions about each pair. This takes
    about [NUMBER] minutes. There are no right or wrong answers.

    ## Taking part is voluntary

    You can stop at any time by closing the page, without giving a reason and without any disadvantage. Answers that
    you gave before stopping stay stored, unless you have them deleted: *Stop and delete my answers*, at the foot of
    each page, does so at once. [SAY HERE WHETHER AND HOW PEOPLE ARE PAID, AND WHAT HAPPENS TO THE PAYMENT WHEN
    SOMEONE STOPS.]

    ## What is recorded

    - that you agreed, when, and to which version of this text;
    - your answers, and how long you took for each;
    - how each video was played: what was watched and replayed, whether it stalled, and whether the page was hidden;
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
instructions: |
  # What to do

  You will see pairs of short videos, side by side.

  1. **Watch both videos to the end.** They start together and have no sound. You can pause them and play them again
     as often as you like.
  2. **Answer three questions:** which video you prefer, why, and how certain you are.
  3. Save, and go on to the next pair.

  There is no time limit, and there are no right or wrong answers. If you like both alike, choose the one that you like
  a little better, and say how uncertain you are. You cannot go back to a pair that you have saved.

  If you have to stop, keep this page's address and come back to it: you will continue where you were.
truth: {source: none}
trials:
  order: random
  sides: balanced
  watch: both-to-end
  questions:
    - {id: choice, type: 2afc, ask: "Which video do you prefer?"}
    - {id: rationale, type: text, ask: "Why? Please provide as much detail as possible."}
    - {id: uncertainty, type: likert, ask: "How certain are you of your choice?", scale: uncertainty}
completion:
  message: |
    # Thank you

    You have finished, and all your answers are saved.

    If you would like to know the results, or want your answers deleted, write to [NAME, E-MAIL ADDRESS].
"""

REAL_OR_FAKE = """\
study: real-or-fake
title: "Which video is real?"
consent:
  version: "1"
  text: |
    # Taking part in this study

    This study is run by [NAME OF THE LAB, INSTITUTION].

    Please read this page before you decide whether to take part.

    ## What it is about

    We want to learn how well people tell real videos from artificial ones. [SAY IN A SENTENCE WHAT THE VIDEOS SHOW.]

    ## What you will do

    You will watch [NUMBER] pairs of short videos without sound, and answer three questions about each pair. This takes
    about [NUMBER] minutes. In each pair one video is real and the other is not; we do not test your ability.

    ## Taking part is voluntary

    You can stop at any time by closing the page, without giving a reason and without any disadvantage. Answers that
    you gave before stopping stay stored, unless you have them deleted: *Stop and delete my answers*, at the foot of
    each page, does so at once. [SAY HERE WHETHER AND HOW PEOPLE ARE PAID, AND WHAT HAPPENS TO THE PAYMENT WHEN
    SOMEONE STOPS.]

    ## What is recorded

    - that you agreed, when, and to which version of this text;
    - your answers, and how long you took for each;
    - how each video was played: what was watched and replayed, whether it stalled, and whether the page was hidden;
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
instructions: |
  # What to do

  You will see pairs of short videos, side by side. One is real: [SAY WHAT REAL MEANS HERE]. The other was made by a
  program.

  1. **Watch both videos to the end.** They start together and have no sound. You can pause them and play them again
     as often as you like.
  2. **Answer three questions:** which video is real, why you think so, and how certain you are.
  3. Save, and go on to the next pair.

  There is no time limit. If you are not sure, choose the video that seems more real to you, and say how uncertain you
  are. You cannot go back to a pair that you have saved.

  If you have to stop, keep this page's address and come back to it: you will continue where you were.
truth: {source: real}
sample: {seed: 7, use: even, conditions: {real-fake: 10}}
trials:
  order: random
  sides: balanced
  watch: both-to-end
  questions:
    - {id: choice, type: 2afc, ask: "Which video is real?"}
    - {id: rationale, type: text, ask: "Why do you think so? Please provide as much detail as possible."}
    - {id: uncertainty, type: likert, ask: "How certain are you of your choice?", scale: uncertainty}
completion:
  message: |
    # Thank you

    You have finished, and all your answers are saved.

    If you would like to know the results, or want your answers deleted, write to [NAME, E-MAIL ADDRESS].
"""

BLANK = """\
study: new-study
title: "[TITLE]"
consent:
  version: "1"
  text: |
    [SAY WHO RUNS THE STUDY, WHAT PEOPLE WILL DO, WHAT IS RECORDED AND WHAT HAPPENS TO IT, AND WHOM THEY CAN ASK.]
trials:
  questions:
    - {id: choice, type: 2afc, ask: "[WHICH VIDEO ...?]"}
"""
