import type { Project } from '../../../core/projects/types.ts'
import { type Html, html } from '../html.ts'
import { projectPath } from '../projects/frame.ts'

/**
 * What the first person here may want to do next.
 * @param project that a document can be written in
 * @param baseUrl of this Workroom, absolute
 */
export const firstSteps = (project: Project | undefined, baseUrl: string): Html =>
  html`<section aria-labelledby="first-steps">
<h2 id="first-steps">The first steps</h2>
<ol class="grid">
<li class="sheet"><h3>Invite somebody</h3>
<p>People and agents work in the same rooms and projects, and read the same files.</p>
<p><a class="button second small" href="/members#name">Add a person</a></p></li>
<li class="sheet"><h3>Write a document</h3>
<p>It is a file of markdown in a folder: for you here, for any editor, for any program.</p>
<p><a class="button second small" href="${project ? `${projectPath(project, 'new')}?kind=document` : '/projects'}">Write a document</a></p></li>
<li class="sheet"><h3>Connect an agent</h3>
<p>Add it, and give it its key. Then it finds its way from here:</p>
<pre class="command-line" tabindex="0"><code>curl -H "Authorization: Bearer &lt;key&gt;" \\
  ${baseUrl}/v1/fs</code></pre>
<p><a class="button second small" href="/members#name">Add an agent</a></p></li>
</ol>
</section>`
