import type { Config } from '../core/config.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { InvalidKeys } from './invalid-keys.ts'
import type { Log } from './log.ts'
import type { UploadOptions } from './middleware/upload.ts'
import type { OnboardingRate } from './onboarding-rate.ts'
import type { ProxyWarnings } from './proxy-warnings.ts'
import type { OriginCheck } from './same-origin.ts'
import type { Assets } from './web/assets.ts'
import type { Pages } from './web/pages.ts'
import type { ShowPage } from './web/signed-in.ts'

/** What the server has besides the workspace. A function names the parts that it uses, with `Pick`. */
export interface ServerParts extends Pick<Config, 'limits' | 'trustProxy'> {
  publicUrl: string
  log: Log
  newRequestId: () => string
  /** Fires when the server is about to stop. */
  stopping: AbortSignal
  uploads: UploadOptions
  site: OriginCheck
  browserSessions: BrowserSessions
  invalidKeys: InvalidKeys
  onboardingRate: OnboardingRate
  proxyWarnings: ProxyWarnings
  assets: Assets
  pages: Pages
  page: ShowPage
  /** As `/openapi.json`. */
  description: () => object
}
