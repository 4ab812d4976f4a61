import type { Profile } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { requireDisplayName } from './display-name.ts'

/** Code points. */
const maxLength = { statusText: 200, description: 2_000, avatarUrl: 2_000, email: 254 }

/** Includes invisible characters, and unpaired surrogates, which no file could contain. */
const unfitForOneLine = /[\p{Cc}\p{Cs}\u2028\u2029]/u

const unfitForText = /[^\P{Cc}\t\n\r]|\p{Cs}/u

/** Addresses are used in mail headers and pages: one word without special characters. */
const emailPattern = /^[^\s\p{Cc}\p{Cs}@<>,;"]+@[^\s\p{Cc}\p{Cs}@<>,;"]+$/u
const webAddressPattern = /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu

export function requireProfile({
  name,
  statusText,
  description,
  avatarUrl,
  email,
}: { [Field in keyof Profile]?: Profile[Field] | undefined }): void {
  if (name !== undefined) requireDisplayName(name)
  if (statusText !== undefined) requireStatusText(statusText)
  if (description !== undefined) requireDescription(description)
  if (avatarUrl !== undefined) requireAvatarUrl(avatarUrl)
  if (email !== undefined) requireEmail(email)
}

function requireStatusText(statusText: string): void {
  if (isWithin(maxLength.statusText, statusText) && !unfitForOneLine.test(statusText)) return
  throw new WorkspaceError(
    'bad_request',
    `The statusText is one line of at most ${maxLength.statusText} characters.`,
  )
}

function requireDescription(description: string): void {
  if (isWithin(maxLength.description, description) && !unfitForText.test(description)) return
  throw new WorkspaceError(
    'bad_request',
    `The description has at most ${maxLength.description} characters, none of them control characters.`,
  )
}

function requireAvatarUrl(avatarUrl: string): void {
  if (avatarUrl === '') return
  if (
    isWithin(maxLength.avatarUrl, avatarUrl) &&
    webAddressPattern.test(avatarUrl) &&
    URL.canParse(avatarUrl)
  )
    return
  throw new WorkspaceError(
    'bad_request',
    `The avatarUrl is an http or https address of at most ${maxLength.avatarUrl} characters, or '' for none.`,
  )
}

function requireEmail(email: string): void {
  if (email === '' || (isWithin(maxLength.email, email) && emailPattern.test(email))) return
  throw new WorkspaceError('bad_request', 'An email address looks like ada@example.org.')
}

const isWithin = (count: number, text: string) => [...text].length <= count
