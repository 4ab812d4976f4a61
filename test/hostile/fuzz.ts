import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Campaign, CampaignRun } from './campaign.ts'
import { Corpus, corpusFolder } from './fuzz/corpus.ts'
import { attackCursor, cursorsOf, drawCursor } from './fuzz/cursors.ts'
import { attackBroken, drawBytes } from './fuzz/raw-bytes.ts'
import { drawRequest, type RequestInput, type Routes, routesOf } from './fuzz/requests.ts'
import { boundMs, kindOf, problemsOf, send } from './fuzz/responses.ts'
import { drawText, type TextInput, Texts } from './fuzz/texts.ts'
import { type FuzzWorkspace, openFuzzWorkspace } from './fuzz/workspace.ts'

/** The tries sent at once, all drawn before the first is sent, so that a seed draws the same again. */
const batch = 8
/** Then a fresh workspace replaces the one filled by the tries. */
const triesPerWorkspace = 4000

interface Found {
  problems: string[]
  kind?: string
  input?: string | RequestInput
  ms?: number
}

interface Target {
  workspace: FuzzWorkspace
  routes: Routes
  texts: Texts
  cursors: string[]
}

/** Fuzzes every route, cursors, forms, markdown and raw bytes. The folder `FUZZ_CORPUS` keeps the corpus. */
export const fuzz: Campaign = {
  name: 'fuzz',
  about:
    'sends what no client should: no 500, no crash, no slow answer, every error in shape, no byte lost to a block write',
  minutes: 10,
  async attack(run) {
    const corpus = new Corpus(corpusFolder(run))
    const statuses = new Map<string, number>()
    let target = await openTarget(run, 0)
    let tried = 0
    let workspaces = 1
    let slowestMs = 0
    try {
      while (!run.isOver()) {
        const tries = Array.from({ length: batch }, (_, slot) => draw(run, target, corpus, slot))
        const found = await Promise.all(tries.map((attack) => attack()))
        for (const { problems, kind, input, ms = 0 } of found) {
          tried++
          run.tried()
          for (const problem of problems) run.failed(problem)
          if (kind !== undefined && input !== undefined) corpus.learn(kind, input)
          const status = /\b(\d)\d\d\b/.exec(kind ?? '')?.[1]
          if (status) statuses.set(`${status}xx`, (statuses.get(`${status}xx`) ?? 0) + 1)
          slowestMs = Math.max(slowestMs, ms)
        }
        const hasEnded = target.workspace.hasEnded()
        if (hasEnded) run.failed(`The server ended: ${target.workspace.output()}`)
        if (hasEnded || tried >= workspaces * triesPerWorkspace || !(await isUsable(target))) {
          await closeTarget(target)
          target = await openTarget(run, workspaces++)
        }
      }
    } finally {
      await closeTarget(target)
    }
    run.figure('slowest answer', `${Math.round(slowestMs)} ms of ${boundMs}`)
    run.figure(
      'answers',
      [...statuses]
        .sort()
        .map(([status, count]) => `${count} ${status}`)
        .join(', '),
    )
    run.figure('corpus', `${corpus.size} inputs, ${corpus.kinds} kinds of answers`)
  },
}

async function openTarget(run: CampaignRun, number: number): Promise<Target> {
  const workspace = await openFuzzWorkspace(join(run.folder, `home-${number}`))
  return {
    workspace,
    routes: routesOf(workspace.endpoints),
    texts: await Texts.open(workspace, batch),
    cursors: await cursorsOf(workspace),
  }
}

async function closeTarget({ workspace }: Target): Promise<void> {
  await workspace.close()
  rmSync(workspace.home, { recursive: true, force: true })
}

/** Whether the workspace can still be read and written; a request may have archived its project, or worse. */
async function isUsable({ workspace: { call } }: Target): Promise<boolean> {
  try {
    for (const project of ['general', 'texts']) {
      const { status, json } = await call('GET', `/v1/projects/${project}`)
      if (status !== 200 || json.project.archivedAt !== null) return false
    }
    return true
  } catch {
    return false
  }
}

/** Draws one try. @returns a function that makes it */
function draw(run: CampaignRun, target: Target, corpus: Corpus, slot: number): () => Promise<Found> {
  const { workspace, routes, texts, cursors } = target
  const kind = run.below(10)
  if (kind < 6) {
    const input = drawRequest(run, routes, corpus)
    const address = `10.${run.below(250)}.${run.below(250)}.${run.below(250)}`
    return () => reportErrors(JSON.stringify(input), () => tryRequest(workspace, input, address))
  }
  if (kind < 8) {
    const input = drawText(run, corpus)
    return () => reportErrors(JSON.stringify(input), () => tryText(texts, input, slot))
  }
  if (kind < 9) {
    const input = drawCursor(run, cursors)
    return () =>
      reportErrors(JSON.stringify(input), async () => ({ problems: await attackCursor(workspace, input) }))
  }
  const bytes = drawBytes(run)
  return () =>
    reportErrors(JSON.stringify(bytes), async () => ({ problems: await attackBroken(workspace.url, bytes) }))
}

/** Reports a connection that ends without a response as a problem. */
async function reportErrors(input: string, attack: () => Promise<Found>): Promise<Found> {
  try {
    return await attack()
  } catch (error) {
    return { problems: [`${(error as Error).message}: ${input.slice(0, 1000)}`] }
  }
}

async function tryRequest(workspace: FuzzWorkspace, input: RequestInput, address: string): Promise<Found> {
  const response = await send(workspace, input, address)
  if (response === null) return { problems: [] }
  const problems = problemsOf(response).map(
    (problem) =>
      `${response.method} ${response.target.slice(0, 300)}: ${problem} (${JSON.stringify(input).slice(0, 600)})`,
  )
  return { problems, kind: kindOf(response), input, ms: response.ms }
}

async function tryText(texts: Texts, input: TextInput, slot: number): Promise<Found> {
  const { problems, kind } = await texts.attack(input, slot)
  return {
    problems: problems.map((problem) => `${problem} (${JSON.stringify(input).slice(0, 2000)})`),
    kind,
    input: input.text,
  }
}
