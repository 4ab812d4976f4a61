import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { contentType } from 'mime-types'
import { WorkspaceError } from '../../core/errors.ts'
import { newRoutes, type Routes } from '../context.ts'

interface Asset {
  path: string
  type: string
  bytes: Buffer
}

/** The files that pages are shown with. Their addresses hold a hash of what is in them, so that browsers never ask twice. */
export class Assets {
  private readonly byName: Map<string, Asset>
  readonly routes: Routes

  /** @param folder with all of them: few and small, kept in memory */
  constructor(folder = new URL('./assets/', import.meta.url)) {
    this.byName = new Map(readdirSync(folder).map((name) => [name, assetOf(name, new URL(name, folder))]))
    const byPath = new Map([...this.byName.values()].map((asset) => [asset.path, asset]))
    this.routes = newRoutes().get('/assets/:name', (ctx) => {
      const asset = byPath.get(ctx.path)
      if (!asset) throw new WorkspaceError('not_found', 'There is no such file. Load the page again.')
      ctx.set({
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Content-Type': asset.type,
        'Cross-Origin-Resource-Policy': 'same-origin',
        'X-Content-Type-Options': 'nosniff',
      })
      ctx.body = asset.bytes
    })
  }

  /** The address of a file, by its name in the folder. */
  pathOf(name: string): string {
    return this.byName.get(name)!.path
  }
}

function assetOf(name: string, file: URL): Asset {
  const bytes = readFileSync(file)
  const [, stem, extension] = /^(.+)(\.\w+)$/.exec(name)!
  const tag = hash('sha256', bytes).slice(0, 16)
  return { path: `/assets/${stem}.${tag}${extension}`, type: contentType(name) || '', bytes }
}
