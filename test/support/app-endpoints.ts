import { defaultConfig } from '../../core/config.ts'
import type { OpenWorkspace } from '../../core/workspace/index.ts'
import { createApp } from '../../server/app.ts'
import type { Endpoint } from '../../server/endpoints.ts'
import { capturedLog } from './captured-log.ts'

export const endpointsOfApp = (workspace: OpenWorkspace): Endpoint[] =>
  createApp(workspace, {
    config: defaultConfig,
    log: capturedLog(),
    newRequestId: () => 'req_none',
    stopping: new AbortController().signal,
    publicUrl: '',
    allowLongBody() {},
  }).endpoints

/** The endpoints of any server. Declaring routes calls no service, so no workspace has to be opened. */
export const endpointsOfRoutes = (): Endpoint[] => endpointsOfApp(nothing as OpenWorkspace)

/** Every property and call of it is itself. */
const nothing: unknown = new Proxy(() => {}, { get: () => nothing, apply: () => nothing })
