import type { Target } from './entries.ts'

/** Whether two names mean one place: only the case or the normal form of a name is to change. */
export const isSamePath = ({ where: one }: Target, { where: other }: Target): boolean =>
  one !== null && one.project.id === other?.project.id && one.path === other.path

/** A target that means its own source is to be spelled as it was sent. */
export function withSentSpelling(target: Target, source: Target): Target {
  if (!isSamePath(target, source)) return target
  const names = [...target.where!.names.slice(0, -1), target.names.at(-1)!]
  return { ...target, where: { ...target.where!, names, path: names.join('/') } }
}
