import { defaultConfig } from '../../core/config.ts'
import type { OpenWorkspace } from '../../core/workspace/index.ts'
import { createApp } from '../../server/app.ts'
import type { Endpoint } from '../../server/endpoints.ts'
import { capturedLog } from './captured-log.ts'

/** What a server of this workspace answers. */
export const endpointsOfApp = (workspace: OpenWorkspace): Endpoint[] =>
  createApp(workspace, {
    config: defaultConfig,
    log: capturedLog(),
    newRequestId: () => 'req_none',
    stopping: new AbortController().signal,
    publicUrl: '',
    allowLongBody() {},
  }).endpoints
