import { agentScopes, type MemberType, type Scope } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

export const defaultScopes = (type: MemberType): readonly (Scope | '*')[] =>
  type === 'human' ? ['*'] : agentScopes

/** Refuses `*` for agents (`docs/interface.md#scopes`). @throws WorkspaceError `bad_request` */
export function requireScopes(requested: readonly string[], type: MemberType): (Scope | '*')[] {
  if (requested.length === 0) {
    throw new WorkspaceError('bad_request', `A key needs at least one scope: ${agentScopes.join(', ')}.`)
  }
  return [...new Set(requested)].map((scope) => {
    if (isScope(scope) || (scope === '*' && type === 'human')) return scope
    const reason =
      scope === '*' ? 'The scope * is for people, not for agents.' : `There is no scope ${scope}.`
    throw new WorkspaceError('bad_request', `${reason} The scopes are ${agentScopes.join(', ')}.`)
  })
}

const isScope = (scope: string): scope is Scope => (agentScopes as readonly string[]).includes(scope)
