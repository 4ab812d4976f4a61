import type { Page } from 'playwright-core'

/** Waits until the script of a room's page has started, which moves the focus. Before, it misses what people do. */
export const waitForRoom = (page: Page): Promise<void> => page.locator('main :focus').waitFor()
