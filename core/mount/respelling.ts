import type { Target } from './entries.ts'

/** Whether only the case or normal form changes. */
export const isSamePath = ({ location: one }: Target, { location: other }: Target): boolean =>
  one !== null && one.project.id === other?.project.id && one.path === other.path

/** A target that is its own source gets the spelling that was sent. */
export function withRequestedSpelling(target: Target, source: Target): Target {
  if (!isSamePath(target, source)) return target
  const names = [...target.location!.names.slice(0, -1), target.names.at(-1)!]
  return { ...target, location: { ...target.location!, names, path: names.join('/') } }
}
