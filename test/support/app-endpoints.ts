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

/**
 * What any server answers. Routes are declared with the services of a workspace and call none of them, so that no
 * workspace has to be opened to list them.
 */
export const endpointsOfRoutes = (): Endpoint[] => endpointsOfApp(nothing as OpenWorkspace)

/** Whatever is asked of it or called on it is this again. */
const nothing: unknown = new Proxy(() => {}, { get: () => nothing, apply: () => nothing })
