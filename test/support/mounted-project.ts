import { join } from 'node:path'
import type { Test } from 'tap'
import { defaultConfig } from '../../core/config.ts'
import { davClient } from './dav-client.ts'
import type { RequestOptions } from './http-client.ts'
import { startWorkroom } from './workroom.ts'

/** The limits of the mounted workspace. */
export const markdownBytes = 20_000
const uploadBytes = 200_000

/** The project's path below `/dav`. */
export const davPath = '/projects/general'
export const tree = '/v1/fs/projects/general'

/** Opens a project with a WebDAV client for an owner, a member, the lead and an outsider. */
export async function mountedProject(t: Test) {
  const workroom = await startWorkroom(t, {
    config: { limits: { ...defaultConfig.limits, markdownBytes, uploadBytes } },
  })
  const { workspace } = workroom
  const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
  const lin = await workroom.addMember({ name: 'Lin', type: 'human' })
  await workspace.stores.projects.join(workspace.stores.projects.find('general')!, lin.member, 'lead')
  const eve = await workroom.addMember({ name: 'Eve', type: 'human' })
  const clients = {
    ownerClient: davClient(workroom, workroom.owner.key),
    memberClient: davClient(workroom, grace.key),
    leadClient: davClient(workroom, lin.key),
    outsiderClient: davClient(workroom, eve.key),
  }
  const { memberClient } = clients
  const transfer = (
    method: 'MOVE' | 'COPY',
    from: string,
    to: string,
    client = memberClient,
    headers: Headers = {},
  ) =>
    client.send(method, davPath + from, {
      headers: { Destination: `/dav${encodeURI(davPath + to)}`, ...headers },
    })
  return {
    workroom,
    grace,
    lin: lin.member,
    ...clients,
    pathOnDisk: (path: string) => join(workroom.home, 'projects/general', path),
    put: (
      path: string,
      body: string | Buffer = '# Some text\n',
      client = memberClient,
      headers: Headers = {},
    ) => client.send('PUT', davPath + path, { body, headers }),
    get: (path: string, client = memberClient, headers: Headers = {}) =>
      client.send('GET', davPath + path, { headers }),
    remove: (path: string, client = memberClient) => client.send('DELETE', davPath + path),
    transfer,
    move: (from: string, to: string, client = memberClient, headers: Headers = {}) =>
      transfer('MOVE', from, to, client, headers),
    /** The JSON of a path in the file tree. */
    readJson: async (path: string, key = grace.key) =>
      (await workroom.request('GET', tree + path, { key })).json,
  }
}

type Headers = NonNullable<RequestOptions['headers']>

export const statusOf = async (response: Promise<{ status: number }>): Promise<number> =>
  (await response).status
