import type { Workspace } from '../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../context.ts'

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
