import type { OpenSession } from '../../core/sessions/sessions.ts'
import { type Html, html } from './html.ts'

/** To stand in every form of somebody who is signed in that is sent without script. */
export const csrfField = ({ csrfToken }: OpenSession): Html =>
  html`<input type="hidden" name="csrf" value="${csrfToken}">`
