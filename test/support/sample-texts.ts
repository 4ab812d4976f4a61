import { deflateSync } from 'node:zlib'

const fence = '```'

/** A document in which every kind of markdown stands. */
export const everyKind = `---
tags: [handbook, people]
aliases:
  - Welcome
reviewed: 2026-06-01 # once a quarter
---

# Onboarding

Welcome to **Harbour**. Read this on your first day, *with a coffee*, and ask @Grace Hopper what is unclear. It says
what we do, how, and why; ~~the old handbook~~ is in [[Glossary]].

## Your first day

- [x] Get a key from @Ada Lovelace
- [x] Say hello in the room
- [ ] Set up your machine, as [[Set up your machine|the guide]] says
  - [ ] Docker
  - [ ] The tide simulator
- [ ] Take a card: [[c:3]] is a good first one

1. Read the code.
2. Change something small.
   1. Write the test.
   2. Make it pass.
3. Ask for a review.

> A harbour is a promise: whoever comes in is safe here.
>
> > And whoever leaves knows where the rocks are.

## How we write code

Use \`npm test\` before you push. A line like \`const berth = harbour.berths.find((one) => one.isFree && one.length >= ship.length)\` is too long.

${fence}ts
// The tide decides, not the clock.
export function isFree(berth: Berth, at: Date): boolean {
  const { depth } = berth
  return depth + tideAt(at) >= 3.5 && !berth.ships.some((ship) => ship.isHere(at))
}
${fence}

${fence}python
def free_berths(at: datetime) -> list[Berth]:
    """Those with enough water under the keel."""
    return [berth for berth in berths if berth.depth + tide(at) >= 3.5]
${fence}

${fence}sh
curl -H "Authorization: Bearer $KEY" https://workroom.example/v1/fs/projects/harbour/board
${fence}

## How a ship comes in

${fence}mermaid
graph LR
  A[Ship asks] --> B{Berth free?}
  B -->|yes| C[Pilot goes out]
  B -->|no| D[Wait at anchor]
  D --> B
  C --> E[Moored]
${fence}

| Berth | Depth | Length | Note |
| :--- | ---: | :---: | --- |
| North 1 | 4.5 m | 120 m | Only at \`high\` tide |
| North 2 | 6.0 m | 180 m | **Reserved** on Fridays |
| South 1 | 9.5 m | 320 m | Container bridge, two cranes, rail, and a very long note that has to wrap on a phone |

### A wide table

| Mon | Tue | Wed | Thu | Fri | Sat | Sun | Public holidays | School holidays | Night shift |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 06:00–22:00 | 06:00–22:00 | 06:00–22:00 | 06:00–22:00 | 06:00–20:00 | 08:00–14:00 | closed | closed | 08:00–14:00 | on call |

## Where to find things

![[Architecture]]

The tide table[^1] comes from the office[^office]. More at <https://tides.example/rules>, on the [board](/projects/harbour/board)
and in [a page that nobody has written](https://example.org/missing). What is missing: [[A page that is not there]].

![The harbour from above](../files/map.png)

---

Any of this wrong? Change it. Raw HTML such as <b>this</b> is shown as it is written.

[^1]: Updated once a day, at midnight.
[^office]: The office of hydrography.
`

export const architecture = `# Architecture

Three parts, and nothing between them but HTTP. See [[Onboarding#how-a-ship-comes-in]] for the words.

${fence}mermaid
graph TD
  App --> Api
  Api --> Tides
  Api --> Berths
${fence}

## Decisions

The berths are kept in SQLite. @Linus Berg knows why.
`

export const glossary = `# Glossary

**Berth**: where a ship lies. **Pilot**: who brings it there. **Draught**: how deep it goes. See [[Architecture]].
`

export const setUp = `# Set up your machine

1. Install Node 20.
2. \`npm ci\`
3. \`npm start\`, and open [[Onboarding]] beside it.
`

export const releaseNotes = `# Release 2.4 is out

Berths know the tide now. Thank you, @Linus Berg and @Mira Okafor!

- **New**: free berths on the map ([[c:5]])
- **Faster**: the tide table is read once a day
- **Fixed**: ships no longer overlap at midnight

Why the tide decides: https://tides.example/rules
`

export const incident = `# What happened on Tuesday night

Between 23:50 and 00:20 two ships had the same berth. Nobody was harmed. @Scout found it in the logs:

${fence}
23:59:58 berth=north-2 ship=Anna state=moored
00:00:01 berth=north-2 ship=Boris state=moored
${fence}

We write such reports so that we learn, not to find somebody guilty. What follows is in [[c:4]].
`

/** A picture of one colour that becomes another. */
export function samplePicture(width = 640, height = 240): Buffer {
  const row = (y: number) =>
    Buffer.from([
      0,
      ...Array.from({ length: width }, (_, x) => [
        40 + (x * 80) / width,
        110 + (y * 90) / height,
        160,
      ]).flat(),
    ])
  const pixels = Buffer.concat(Array.from({ length: height }, (_, y) => row(y)))
  const header = Buffer.from([...bytes32(width), ...bytes32(height), 8, 2, 0, 0, 0])
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const bytes32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([bytes32(data.length), body, bytes32(crc32(body))])
}

function crc32(bytes: Buffer): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc
}
