import type { Reply } from '../http/reply.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { sendPage } from './layout.ts'
import type { Words } from './words/language.ts'

const MARKS = { forged: 'link', ended: 'clock', unknown: 'search' } as const

/** A link that opens nothing, and why. */
export function noticePage(
  reply: Reply,
  status: number,
  words: Words,
  path: string,
  about: keyof typeof MARKS,
): Reply {
  const title = words[about]
  return sendPage(reply, status, words, path, {
    look: 'notice',
    title,
    header: html``,
    main: html`<section class="card ending">
<span class="mark neutral">${icon(MARKS[about])}</span>
<h1>${title}</h1>
<p class="lead">${words[`${about}Why`]}</p>
</section>`,
  })
}
