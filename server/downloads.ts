import type { Workspace } from '../core/workspace/index.ts'
import { newRoutes, type Routes } from './context.ts'
import { sendFile } from './send-file.ts'

export const downloadRoutes = ({ files: { downloads } }: Pick<Workspace, 'files'>): Routes =>
  newRoutes()
    .purpose('Download a file by a signed link, without a key, for an hour')
    .get('/download/:token/:name', (ctx) => {
      sendFile(ctx, downloads.open(ctx.params.token!))
    })
