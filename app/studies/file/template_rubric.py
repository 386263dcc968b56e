"""The template of a study that rates records or texts on a rubric."""

RUBRIC = """\
study: rubric-rating
title: "How good is this play?"
consent:
  version: "1"
  text: |
    # Taking part in this study

    This study is run by [NAME OF THE LAB, INSTITUTION].

    Please read this page before you decide whether to take part.

    ## What it is about

    We want to learn how people judge what players of a game did. [SAY IN A SENTENCE WHAT THE RECORDS SHOW.]

    ## What you will do

    You will read [NUMBER] records, one at a time, and rate each of them on six scales, with your reasons. This takes
    about [NUMBER] minutes. There are no right or wrong answers.

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

  You will read records of what players did, one at a time.

  1. **Read the whole record** before you rate it.
  2. **Rate it on each of six scales** from 1 to 5. Beside every point stands what it means; choose the one that fits
     best, and judge each scale on its own.
  3. **Give your reasons** in a sentence or two: what in the record led you to your ratings?
  4. Save, and go on to the next record.

  There is no time limit. You cannot go back to a record that you have saved.

  If you have to stop, keep this page's address and come back to it: you will continue where you were.
truth: {source: none}
blocks:
  - id: rate
    task: rating
    items: |
      item,stimulus,text,condition,kind,group
      record-1,,[REPLACE THIS BY THE FIRST TEXT],,main,
      record-2,,[REPLACE THIS BY THE SECOND TEXT],,main,
    order: random
    questions:
      - id: goal
        type: likert
        ask: "Goal: does the player pursue what the game asks of them?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: ignores or works against the goal
          2: pursues it now and then
          3: pursues it most of the time
          4: pursues it nearly always
          5: every move serves the goal
      - id: reasoning
        type: likert
        ask: "Reasoning: do the moves follow from what the player could know?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: no reasons can be made out
          2: reasons are weak or wrong
          3: some moves follow from what was known
          4: most moves follow from what was known
          5: every move follows from what was known
      - id: consistency
        type: likert
        ask: "Consistency: do moves and words fit together from one round to the next?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: contradicts itself throughout
          2: contradicts itself often
          3: a few contradictions
          4: one small contradiction at most
          5: of one piece from beginning to end
      - id: adaptation
        type: likert
        ask: "Adaptation: does the player respond to what the others do?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: never responds to the others
          2: responds late or wrongly
          3: responds to some of what they do
          4: responds to most of what they do
          5: responds to all that matters in time
      - id: risk
        type: likert
        ask: "Risk: is the risk that is taken fitting for the situation?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: reckless or paralysed
          2: far too much or far too little
          3: fitting in about half of the situations
          4: fitting with few exceptions
          5: fitting throughout
      - id: plausibility
        type: likert
        ask: "Plausibility: could a person have played like this?"
        labels: ["1", "2", "3", "4", "5"]
        anchors:
          1: no person would play like this
          2: hardly a person
          3: a person or not with equal chances
          4: probably a person
          5: just as a person would play
      - {id: reason, type: text, ask: "What in the record led you to these ratings?", required: true}
completion:
  message: |
    # Thank you

    You have finished, and all your answers are saved.

    If you would like to know the results, or want your answers deleted, write to [NAME, E-MAIL ADDRESS].
"""
