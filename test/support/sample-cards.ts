export interface SampleCard {
  column: string
  title: string
  /** Frontmatter. */
  fields: string
  text: string
}

const card = (
  column: string,
  title: string,
  fields = 'priority: none',
  text = 'Not much to say.',
): SampleCard => ({
  column,
  title,
  fields,
  text,
})

/** In the order of their numbers. */
export const sampleCards: readonly SampleCard[] = [
  card(
    '03-in-progress',
    'Tides decide which berth is free',
    'priority: urgent\nlabels: [tides, core]\nassignees: [Linus Berg]',
    'The depth alone says nothing. See [[Architecture]].\n\n- [x] Model\n- [x] Table\n- [ ] Tests',
  ),
  card(
    '03-in-progress',
    'Ships ask for a berth by radio',
    'priority: high\nlabels: [radio]\nassignees: [Grace Hopper, Scout]\ndue: 2026-06-26',
  ),
  card('02-todo', 'Write down how to add a berth', 'priority: low\nlabels: [docs, good first card]'),
  card(
    '01-triage',
    'Two ships in one berth at midnight',
    'priority: urgent\nlabels: [bug]\nassignees: [Linus Berg]\ndue: 2026-06-16',
    'It happens when the day changes:\n\n```\n23:59:58 Anna\n00:00:01 Boris\n```',
  ),
  card('04-done', 'Free berths on the map', 'priority: medium\nlabels: [map]\nassignees: [Mira Okafor]'),
  card(
    '02-todo',
    'A title that is so long that it needs three lines on a card of the board, and four on a phone with large letters',
    'priority: medium\nblocked-by: [1, 2]',
  ),
  card('02-todo', 'Which unit for depth?', 'kind: question\npriority: high', 'Metres or feet?'),
  card(
    '02-todo',
    'Pilots see who waits',
    'priority: medium\nassignees: [Ada Lovelace, Grace Hopper, Linus Berg, Mira Okafor, Scout]',
  ),
  card('01-triage', 'The horn is too loud'),
  card('01-triage', 'Dark theme for the night shift', 'labels: [map, night]\npriority: low'),
  card('01-triage', 'Do we need an app for phones?', 'kind: question\nblocked-by: [7]'),
  card('04-done', 'Renew the certificate', 'assignees: [Linus Berg]'),
  card('04-done', 'Remove the old importer', 'labels: [core]\npriority: low'),
  card('04-done', 'Metres everywhere', 'kind: question\nresolution: Metres'),
  card(
    '03-in-progress',
    'Read the tide table once a day',
    'labels: [tides]\nassignees: [Linus Berg]\npriority: high',
  ),
  card('02-todo', 'Cranes can be booked', 'labels: [cranes]'),
  card('02-todo', 'Print the plan of the day', 'priority: none'),
  card('01-triage', 'Gulls on the camera', 'status: drafted'),
  card('02-todo', 'Backups are tested once a month', 'priority: high\nlabels: [ops]\ndue: 2026-07-01'),
  card('04-done', 'Say hello to new ships'),
]
