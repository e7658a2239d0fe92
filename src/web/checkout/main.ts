import { searchBanks } from './bank-search.ts'
import { countDown } from './clock.ts'
import { showCopyButtons } from './copy.ts'
import { followPage } from './live.ts'
import { foldMethods } from './other-method.ts'
import { previewReceipt } from './receipt-preview.ts'
import { holdSentForms } from './sent-forms.ts'

/** The scripts only improve the page. They run again for each part that is replaced. */
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

// A page from the back-forward cache may be outdated.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
