import { WorkspaceError } from '../errors/workspace-error.ts'
import type { AskKind, NewAsk } from './types.ts'

const maxTitleLength = 200
const maxTextLength = 32_000
/** Exclusive (`docs/interface.md#asks`). */
const optionLengthLimit = 80
const maxAssignees = 50

/** Includes halves of surrogate pairs, which UTF-8 cannot encode. */
const notSingleLine = /[\p{Cc}\p{Cs}\u2028\u2029]/u

const lengthOf = (text: string) => [...text].length
const isBlank = (text: string) => text.trim() === ''
const refusal = (message: string) => new WorkspaceError('bad_request', message)

export function requireAskText({ title, body = '', kind, options = [], assignees = [] }: NewAsk) {
  if (isBlank(title) || lengthOf(title) > maxTitleLength || notSingleLine.test(title)) {
    throw refusal(`The title is one line of 1 to ${maxTitleLength} characters, not blank.`)
  }
  requireText('body', body)
  requireAssigneeCount(assignees)
  const isQuestion = (kind ?? (options.length > 0 ? 'question' : 'work')) === 'question'
  if (isQuestion) requireOptions(options)
  else if (options.length > 0) {
    throw refusal('Work has no options. Leave them out, or make it a question: "kind": "question".')
  }
  const storedKind: AskKind = isQuestion ? 'question' : 'work'
  return { title, body: isBlank(body) ? '' : body, kind: storedKind, options }
}

function requireOptions(options: string[]): void {
  const isValid = (option: string) =>
    !isBlank(option) && lengthOf(option) < optionLengthLimit && !notSingleLine.test(option)
  const areDistinct = new Set(options.map((option) => option.trim())).size === options.length
  if (options.length >= 2 && options.length <= 4 && options.every(isValid) && areDistinct) return
  throw refusal(
    `A question has 2 to 4 options, each a different line of 1 to ${optionLengthLimit - 1} characters.`,
  )
}

export function requireAssigneeCount(assignees: readonly string[]): void {
  if (assignees.length <= maxAssignees) return
  throw refusal(`An ask has at most ${maxAssignees} assignees.`)
}

export function requireResolution(resolution: string | undefined): string | null {
  if (resolution === undefined || isBlank(resolution)) return null
  requireText('resolution', resolution)
  return resolution
}

function requireText(name: string, text: string): void {
  if (text.length > maxTextLength && lengthOf(text) > maxTextLength) {
    throw refusal(`The ${name} has at most ${maxTextLength} characters.`)
  }
  if (/[\0\p{Cs}]/u.test(text)) throw refusal(`The ${name} contains an invalid character.`)
}
