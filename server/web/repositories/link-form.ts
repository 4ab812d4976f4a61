import type { Project } from '../../../core/access/project.ts'
import { type Html, html } from '../html.ts'

/** For those who lead the project. */
export const linkForm = ({ id }: Project): Html =>
  html`<details class="sheet fold" id="link-repository">
<summary>Link a repository</summary>
<form method="dialog" data-call="POST /v1/projects/${id}/repositories" data-reset data-say="Repository linked.">
<div class="field"><label for="dir">Name</label>
<input id="dir" name="dir" required maxlength="80" autocomplete="off" spellcheck="false" placeholder="website"></div>
<div class="field"><label for="source">Source</label>
<input id="source" name="source" required maxlength="2000" autocomplete="off" spellcheck="false" \
placeholder="https://git.example.org/team/website.git">
<p class="hint">An https address, or a path on the server within one of the folders in <code>repositories.roots</code>.</p></div>
<fieldset>
<legend>Pull requests (optional)</legend>
<div class="field"><label for="forge-api">Forge API URL</label>
<input id="forge-api" name="forge[api]" maxlength="2000" autocomplete="off" spellcheck="false" placeholder="https://api.github.com">
<p class="hint">GitHub, Gitea or Forgejo. Leave it empty if there is none.</p></div>
<div class="field"><label for="forge-owner">Owner</label>
<input id="forge-owner" name="forge[owner]" maxlength="200" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="forge-name">Repository</label>
<input id="forge-name" name="forge[name]" maxlength="200" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="forge-token">Access token</label>
<input id="forge-token" name="forge[token]" type="password" maxlength="1000" autocomplete="off" spellcheck="false"></div>
</fieldset>
<button>Link repository</button>
</form>
</details>`
