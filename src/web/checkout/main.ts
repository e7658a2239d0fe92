import { searchBanks } from './bank-search.ts'
import { showCopyButtons } from './copy.ts'
import { countDown } from './countdown.ts'
import { followPage } from './live.ts'
import { foldMethods } from './other-method.ts'
import { previewReceipt } from './receipt-preview.ts'
import { holdSentForms } from './sent-forms.ts'

/** What makes a page better that works without it. Done again for each part of a page that is exchanged. */
function enhance(part: ParentNode): void {
  showCopyButtons(part)
  searchBanks(part)
  foldMethods(part)
  previewReceipt(part)
  holdSentForms(part)
}

enhance(document)
const look = followPage(enhance)
countDown(look)

// Back from the next page, this one is as it was left, and may no longer be true.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
