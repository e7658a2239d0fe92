import type { Payment } from '../../domain/model.ts'
import type { Reply } from '../http/reply.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { type Live, sendPage } from './layout.ts'
import { wayBack } from './way-back.ts'
import type { Words } from './words/language.ts'

const MARKS = { forged: 'link', ended: 'clock', unknown: 'search' } as const

/** Explains why a link is no longer valid. Details of the payment are shown only if the link is genuine. */
export function noticePage(
  reply: Reply,
  status: number,
  words: Words,
  path: string,
  about: keyof typeof MARKS,
  genuine?: { readonly payment: Payment; readonly live: Live },
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
${genuine ? wayBack(genuine.payment, words, 'primary') : ''}</section>`,
    ...(genuine ? { live: genuine.live } : {}),
  })
}
