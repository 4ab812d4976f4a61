import type { AskRow } from '../../data/tables/asks.ts'
import type { Member } from '../access/member.ts'
import { requireAskCancellation, requireAskHolder, requirePerson } from '../access/permissions.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { requireResolution } from './ask-text.ts'
import type { Resolution } from './types.ts'

// Each step returns its changes, or null if there are none, and throws `conflict` for the wrong state.

export type AskChanges = Partial<
  Pick<AskRow, 'state' | 'assignees' | 'claimedBy' | 'resolvedBy' | 'chosenOption' | 'resolution'>
>

export function claim(ask: AskRow, member: Member, holder: Member | null): AskChanges | null {
  if (ask.kind === 'question') {
    throw new WorkspaceError('bad_request', 'A question is not claimed.', {
      next: { step: 'answer the question', askId: ask.id },
    })
  }
  requireOpen(ask)
  requireUnclaimed(member, holder)
  return ask.claimedBy === member.id ? null : { state: 'claimed', claimedBy: member.id }
}

export function release(ask: AskRow, member: Member): AskChanges {
  if (ask.state !== 'claimed') throw new WorkspaceError('conflict', `Ask is ${ask.state}, not claimed`)
  requireAskHolder(member, ask, 'release')
  return { state: 'open', claimedBy: null }
}

export function resolve(ask: AskRow, member: Member, { chosenOption, resolution }: Resolution): AskChanges {
  if (ask.kind === 'question') requirePerson(member, 'answer a question')
  requireOpen(ask)
  if (ask.kind === 'question') requireOptionOf(ask, chosenOption)
  else requireClaimHolder(ask, member, chosenOption)
  return {
    state: 'resolved',
    resolvedBy: member.id,
    chosenOption: chosenOption ?? null,
    resolution: requireResolution(resolution),
  }
}

export function cancel(ask: AskRow, member: Member): AskChanges | null {
  requireAskCancellation(member, ask.createdBy)
  if (ask.state === 'cancelled') return null
  requireOpen(ask)
  return { state: 'cancelled' }
}

/** `assignees` is called only if the ask may be changed. */
export function assign(
  ask: AskRow,
  member: Member,
  { holder, assignees }: { holder: Member | null; assignees: () => string[] },
): AskChanges {
  requireOpen(ask)
  requireUnclaimed(member, holder)
  return { assignees: assignees() }
}

function requireOpen({ state }: AskRow): void {
  if (state === 'open' || state === 'claimed') return
  throw new WorkspaceError('conflict', `Ask is ${state}, not open`)
}

function requireUnclaimed(member: Member, holder: Member | null): void {
  if (holder === null || holder.id === member.id) return
  throw new WorkspaceError('conflict', `Already claimed by ${holder.name}`)
}

function requireOptionOf({ options }: AskRow, chosenOption: string | undefined): void {
  if (chosenOption !== undefined && options.includes(chosenOption)) return
  const listed = options.map((option) => JSON.stringify(option)).join(', ')
  throw new WorkspaceError(
    'bad_request',
    `A question is answered with chosenOption, one of its options: ${listed}.`,
  )
}

function requireClaimHolder(ask: AskRow, member: Member, chosenOption: string | undefined): void {
  requireAskHolder(member, ask, 'resolve')
  if (chosenOption === undefined) return
  throw new WorkspaceError('bad_request', 'Work has no options. Send the result in resolution.')
}
