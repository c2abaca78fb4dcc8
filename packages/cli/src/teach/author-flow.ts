/** The workflow `author`: from somebody's own words to a workflow in YAML. What `checker` says comes from the engine:
 *  `teach` answers in its place. */
export const AUTHOR_FLOW = `description: Draft a workflow from what somebody says in their own words

roles:
  interviewer:
    goal: Find out what happens today, in which order, who does it, and who decides
    procedure:
      - Read what the person has said so far. Use their words for roles and answers.
      - Ask one question at a time, and only what changes the workflow. Two or three questions are enough.
      - When it is clear, sum it up; for each role say what it gets, what it returns, and where each of its answers leads.
    output:
      type: object
      properties:
        status: { enum: [clear, asks] }
        question: { type: string, description: The question; empty when it is clear }
        summary: { type: string, description: What the workflow has to do; empty as long as it is not clear }
      required: [status, question, summary]

  speaker:
    by: person
    goal: Say what happens and who decides
    output:
      type: object
      properties:
        answer: { type: string, description: Your answer }
      required: [answer]

  drafter:
    goal: Write the workflow as one YAML file
    procedure: |
      Return the whole file in the field yaml, without a fence. It has this shape:

          description: A writer drafts, a person approves
          roles:
            writer:                      # letters, digits, _ and -
              goal: Write what is asked for
              procedure: [Read what is asked for, Write it]
              output:                    # JSON Schema; the graph decides by the field status only
                type: object
                properties:
                  status: { enum: [written, stuck] }
                  text: { type: string }
                required: [status, text]
            approval:
              by: person                 # a person plays this role: no procedure
              goal: Say whether it may go out
              output:
                type: object
                properties:
                  status: { enum: [approved, changes] }
                  wish: { type: string }
                required: [status]
          graph:
            $START: { new: writer }
            writer:                      # every status leads somewhere
              written: { role: approval, prompt: "{{ last.meta.text }}" }
              stuck: { role: $SUSPEND, prompt: What shall I write? }
            approval:
              approved: $END
              changes: { role: writer, prompt: "{{ last.meta.wish }}" }

      A role with one way on needs no status: write the target alone. What a later role needs is a field of an earlier
      one: {{ last.meta.x }}, or {{ byRole.writer.last.meta.x }}. Whoever decides among people is a role by: person.
      Begin a file that was refused or is to be changed from the one before, and change only what was asked for.
    output:
      type: object
      properties:
        yaml: { type: string, description: The whole file }
      required: [yaml]

  checker:
    by: person
    goal: Check and try the draft; uncaged-workflow teach answers here
    assignees: [uncaged-workflow teach]
    output:
      type: object
      properties:
        status: { enum: [sound, faulty] }
        said: { type: string, description: "The workflow in plain sentences, or its faults" }
      required: [status, said]

  owner:
    by: person
    goal: Say whether this is how it is to be done
    output:
      type: object
      properties:
        status: { enum: [good, change] }
        wish: { type: string, description: What shall be different; empty when it is good }
      required: [status]

graph:
  $START: { new: interviewer }
  interviewer:
    clear: { role: drafter, prompt: "{{ last.meta.summary }}" }
    asks: { role: speaker, prompt: "{{ last.meta.question }}" }
  speaker: { role: interviewer, prompt: "{{ last.meta.answer }}" }
  drafter: { role: checker, prompt: "Run: uncaged-workflow teach --thread {{ threadId }}" }
  checker:
    - { status: sound, role: owner, prompt: "{{ last.meta.said }}" }
    - { status: faulty, when: byRole.checker.count < 6, role: drafter, prompt: "The engine refuses it. {{ last.meta.said }}" }
    - { role: owner, prompt: "It still has faults. {{ last.meta.said }}" }
  owner:
    good: $END
    change: { role: drafter, prompt: "{{ last.meta.wish }}" }

limits: { steps: 60 }
result: byRole.drafter.last.meta.yaml
`;
