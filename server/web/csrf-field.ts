import type { OpenSession } from '../../core/sessions/sessions.ts'
import { type Html, html } from './html.ts'

export const csrfField = ({ csrfToken }: OpenSession): Html =>
  html`<input type="hidden" name="csrf" value="${csrfToken}">`
