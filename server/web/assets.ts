import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { contentType } from 'mime-types'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { isSource, programFile } from '../../core/program.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'

interface Asset {
  type: string
  /** By Brotli. */
  compressed: Buffer
  /** Null until somebody needs it: most browsers take the compressed bytes. */
  bytes: Buffer | null
}

const built = programFile(isSource ? 'dist/client/' : 'client/')

/** Keeps the bundled files in memory. Their names contain a hash, so browsers may cache them forever. */
export class Assets {
  private readonly manifest: Record<string, string>
  readonly routes: Routes

  /** @throws Error if nothing was built */
  constructor(folder = built) {
    if (!existsSync(new URL('manifest.json', folder)))
      throw new Error('The pages are not built. Build them with: npm run build:client')
    const read = (name: string) => readFileSync(new URL(name, folder))
    this.manifest = JSON.parse(read('manifest.json').toString()) as Record<string, string>
    const names = readdirSync(folder).flatMap((file) => /^(.*\.(?:js|css))\.br$/.exec(file)?.[1] ?? [])
    const assets = new Map<string, Asset>(
      names.map((name) => [
        name,
        { type: contentType(name) || '', compressed: read(`${name}.br`), bytes: null },
      ]),
    )
    const pictures = readdirSync(folder).filter((name) => name.endsWith('.png'))
    const icons = new Map(pictures.map((name) => [name, read(name)]))
    this.routes = newRoutes()
      .purpose('Scripts, styles and fonts of the pages, cached for good')
      .get('/assets/:name', (ctx) => {
        const asset = assets.get(ctx.params.name!)
        if (!asset) throw new WorkspaceError('not_found', 'File not found. Reload the page.')
        send(ctx, asset)
      })
      .purpose('The service worker, which shows notifications and caches nothing')
      .get('/service-worker.js', (ctx) => {
        send(ctx, assets.get(this.manifest.worker!)!)
        // Browsers look for a newer worker at the same URL.
        ctx.set('Cache-Control', 'no-cache')
      })
      .purpose('Icons of the installed app')
      .get('/icons/:name', (ctx) => {
        const icon = icons.get(ctx.params.name!)
        if (!icon) throw new WorkspaceError('not_found', 'Icon not found.')
        ctx.set({ 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' })
        ctx.type = 'image/png'
        ctx.body = icon
      })
  }

  pathOf(name: string): string {
    return `/assets/${this.manifest[name]}`
  }
}

function send(ctx: RouteContext, asset: Asset): void {
  ctx.set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Type': asset.type,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
  })
  const isCompressed = ctx.acceptsEncodings('br', 'identity') === 'br'
  if (isCompressed) ctx.set('Content-Encoding', 'br')
  else asset.bytes ??= brotliDecompressSync(asset.compressed)
  ctx.body = isCompressed ? asset.compressed : asset.bytes
}

const icons = [
  { src: '/icons/192.png', sizes: '192x192', type: 'image/png' },
  { src: '/icons/512.png', sizes: '512x512', type: 'image/png' },
  { src: '/icons/maskable.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
]

/** The web app manifest, which browsers fetch without a session. */
export const installRoutes = ({ identity }: Pick<Workspace, 'identity'>): Routes =>
  newRoutes()
    .purpose('The web app manifest, with which browsers install the pages')
    .get('/manifest.webmanifest', (ctx) => {
      ctx.set({ 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' })
      ctx.type = 'application/manifest+json'
      ctx.body = JSON.stringify({
        name: identity.name,
        short_name: identity.name,
        id: '/',
        start_url: '/',
        scope: '/',
        display: 'standalone',
        background_color: '#ffffff',
        theme_color: '#2b5797',
        icons,
      })
    })
