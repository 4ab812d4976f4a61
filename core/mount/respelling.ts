import type { Target } from './entries.ts'

/** Whether only the case or normal form changes. */
export const isSamePath = ({ where: one }: Target, { where: other }: Target): boolean =>
  one !== null && one.project.id === other?.project.id && one.path === other.path

/** A target that is its own source gets the spelling that was sent. */
export function withSentSpelling(target: Target, source: Target): Target {
  if (!isSamePath(target, source)) return target
  const names = [...target.where!.names.slice(0, -1), target.names.at(-1)!]
  return { ...target, where: { ...target.where!, names, path: names.join('/') } }
}
