import type { Project } from '../../../core/access/project.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html } from '../html.ts'

/** Checkboxes for the active members of a project. @param chosen ids of members */
export function peopleFields(
  { directory: { members, projects } }: Pick<Workspace, 'directory'>,
  project: Project,
  { id, legend, chosen }: { id: string; legend: string; chosen: readonly string[] },
): Html {
  const people = projects
    .members(project)
    .map(({ memberId }) => members.find(memberId)!)
    .filter(({ status }) => status === 'active')
    .sort((one, other) => one.name.localeCompare(other.name))
  return html`<fieldset class="people" id="${id}">
<legend>${legend}</legend>
${people.map(
  ({ id: memberId, name, type }) =>
    html`<label><input type="checkbox" name="assignees" data-as="list" value="${memberId}"${
      chosen.includes(memberId) && html` checked`
    }> <span><bdi>${name}</bdi>${type === 'agent' && html` <span class="tag">agent</span>`}</span></label>
`,
)}</fieldset>`
}
