import type { Project } from '../../../core/access/project.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { SkillRecord } from '../../../core/skills/types.ts'
import { type Html, html } from '../html.ts'

/** A new skill is a draft, which nobody can use until it is published. */
export const newSkillForm = (project: Project): Html =>
  html`<details class="sheet fold" id="new-skill">
<summary>New skill</summary>
<form method="dialog" data-call="POST /v1/skills" data-then="go:${projectPagePath(project, 'skills')}/{skill.name}">
<input type="hidden" name="project" value="${project.id}">
<input type="hidden" name="expectedVersion" data-as="number" value="0">
<input type="hidden" name="expectedDraftRevision" data-as="number" value="0">
<div class="field"><label for="skill-name">Name</label>
<input id="skill-name" name="name" required maxlength="64" pattern="[a-z0-9]+(-[a-z0-9]+)*" autocomplete="off" spellcheck="false" \
placeholder="tidy-up" aria-describedby="skill-name-hint">
<p class="hint" id="skill-name-hint">Lower-case letters, digits and hyphens. Must match the name in SKILL.md.</p></div>
<div class="field"><label for="skill-sheet">SKILL.md</label>
<textarea id="skill-sheet" name="files[SKILL.md]" class="mono" rows="10" spellcheck="false" required>
---
name: tidy-up
description: When to use it, in a sentence.
---

# Tidy up

What to do, step by step.
</textarea></div>
<button>Save draft</button>
</form>
</details>`

type Skill = SkillRecord & { files: Record<string, string> | null }

/** A concurrent change is refused, losing nothing. @param published the published SKILL.md, if any */
export function draftForm(project: Project, skill: Skill, published: string | null): Html {
  const { name, version, draftRevision } = skill
  const files = Object.entries(skill.files ?? { 'SKILL.md': published ?? '' })
  const expected = html`<input type="hidden" name="project" value="${project.id}">
<input type="hidden" name="name" value="${name}">
<input type="hidden" name="expectedVersion" data-as="number" value="${version}">
<input type="hidden" name="expectedDraftRevision" data-as="number" value="${draftRevision}">`
  return html`<details class="sheet fold" id="draft"${published === null && html` open`}>
<summary>${published === null ? 'Draft' : 'Edit'}</summary>
<div class="drafting">
<form method="dialog" id="draft-form" data-live data-call="POST /v1/skills" data-say="Draft saved." \
data-conflict="Someone else has saved this draft. The saved version is shown below yours. Copy what you need and save again.">
${expected}
${files.map(
  ([file, text], at) =>
    html`<div class="field"><label for="draft-${at}"><bdi>${file}</bdi></label>
<textarea id="draft-${at}" name="files[${file}]" class="mono" rows="12" spellcheck="false" data-empty="text">
${text}</textarea></div>`,
)}
<button class="second">Save draft</button>
</form>
<div id="publish" data-live>
${
  draftRevision > 0 &&
  html`<form method="dialog" data-call="POST /v1/skills/publish" data-say="Skill published." \
data-confirm="Publish the saved draft? Its files replace those on disk." data-confirm-button="Publish">
${expected}
<button>Publish</button>
</form>`
}
</div>
</div>
</details>`
}
