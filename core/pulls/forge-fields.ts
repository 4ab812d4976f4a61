import type { ForgeRow } from '../../data/tables/forges.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

export type ForgeAddress = Pick<ForgeRow, 'api' | 'owner' | 'name' | 'token'>

const maxApiLength = 500
const fieldNames = ['api', 'owner', 'name', 'token']

const validName = /^(?!\.{1,2}$)[\w.-]{1,100}$/

const validToken = /^[\x21-\x7e]{1,500}$/

/** @throws WorkspaceError `bad_request`; its message never repeats the input, which may be a token */
export function requireForge(fields: Record<string, unknown>): ForgeAddress {
  const unknown = Object.keys(fields).filter((name) => !fieldNames.includes(name))
  if (unknown.length > 0) throw invalidForgeError(`The forge's fields are ${fieldNames.join(', ')}.`)
  const { api, owner, name, token = null } = fields
  if (typeof owner !== 'string' || !validName.test(owner)) throw invalidForgeError(nameRule('owner'))
  if (typeof name !== 'string' || !validName.test(name)) throw invalidForgeError(nameRule('name'))
  if (token !== null && (typeof token !== 'string' || !validToken.test(token))) {
    throw invalidForgeError(
      "The forge's token is a text of up to 500 ASCII characters without spaces, or null.",
    )
  }
  return { api: requireApi(api), owner, name, token }
}

function requireApi(api: unknown): string {
  const url = typeof api === 'string' && api.length <= maxApiLength && URL.canParse(api) ? new URL(api) : null
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalidForgeError(
      "The forge's api is the https address of its REST interface, such as https://api.github.com or " +
        'https://git.example.org/api/v1, without user name, ? or #.',
    )
  }
  return url.href.replace(/\/+$/, '')
}

const nameRule = (field: string) =>
  `The forge's ${field} is made of letters, digits, hyphens, dots and underscores, at most 100.`

const invalidForgeError = (message: string) => new WorkspaceError('bad_request', message)
