import { isDeepStrictEqual } from 'node:util'
import { bodyStart } from '../../markdown/index.ts'
import type { RevisionContent } from '../catalogue/revision-contents.ts'

/** A change that has no kind of its own is `text`. */
export type RevisionChange =
  | { kind: 'text' }
  | { kind: 'renamed'; from: string; to: string }
  | { kind: 'tasks'; done: string[]; reopened: string[] }
  | { kind: 'field'; field: string; from: unknown; to: unknown }

const task = /^((?:[ \t]|>)*(?:[-+*]|\d{1,9}[.)])[ \t]+\[)([ xX])(\][ \t]+)(.*)$/gm
const title = /^# .*$/m

export function revisionChanges(before: RevisionContent, after: RevisionContent): RevisionChange[] {
  const [from, to] = [before.digest.title, after.digest.title]
  const [textBefore, textAfter] = [bodyOf(before), bodyOf(after)]
  const tasks = tickedTasks(textBefore, textAfter)
  const changes: RevisionChange[] = [
    ...(from !== null && to !== null && from !== to ? [{ kind: 'renamed', from, to } as const] : []),
    ...fieldChanges(before, after),
    ...(tasks.done.length + tasks.reopened.length > 0 ? [{ kind: 'tasks', ...tasks } as const] : []),
    ...(comparable(textBefore) === comparable(textAfter) ? [] : [{ kind: 'text' } as const]),
  ]
  return changes.length > 0 ? changes : [{ kind: 'text' }]
}

const bodyOf = ({ stored, digest }: RevisionContent): string =>
  stored.subarray(bodyStart(stored, digest)).toString()

/** Leaves out what is reported separately: the title, and whether tasks are done. */
const comparable = (text: string): string =>
  text.replace(title, '# ').replace(task, '$1 $3$4').replaceAll('\r\n', '\n').trim()

function fieldChanges(before: RevisionContent, after: RevisionContent): RevisionChange[] {
  const [from, to] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((field) => field !== 'title' && !isDeepStrictEqual(from[field] ?? null, to[field] ?? null))
    .map((field) => ({ kind: 'field', field, from: from[field] ?? null, to: to[field] ?? null }))
}

const fieldsOf = ({ digest }: RevisionContent): Record<string, unknown> => digest.frontmatter?.fields ?? {}

function tickedTasks(before: string, after: string): { done: string[]; reopened: string[] } {
  const tasksBefore = tasksIn(before)
  const changed = [...tasksIn(after)].filter(([key, { isDone }]) => {
    const previous = tasksBefore.get(key)
    return previous !== undefined && previous.isDone !== isDone
  })
  const textsOf = (isDone: boolean) =>
    changed.filter(([, one]) => one.isDone === isDone).map(([, { text }]) => text)
  return { done: textsOf(true), reopened: textsOf(false) }
}

/** By text, with a number that tells equal tasks apart. */
function tasksIn(text: string): Map<string, { text: string; isDone: boolean }> {
  const tasks = new Map<string, { text: string; isDone: boolean }>()
  for (const [, , mark, , taskText = ''] of text.matchAll(task)) {
    let count = 1
    while (tasks.has(`${count} ${taskText}`)) count++
    tasks.set(`${count} ${taskText}`, { text: taskText, isDone: mark !== ' ' })
  }
  return tasks
}
