import { visible } from '../../../output/text.ts'
import type { View } from '../../../output/view.ts'

export const importedView: View<{ readonly account: string; readonly entries: number }> = {
  human: ({ account, entries }, { paint }) =>
    `${paint.bold(visible(account))} is what the file says: ${entries} ${entries === 1 ? 'entry' : 'entries'}`,
}

export const resetView: View<{ readonly account: string }> = {
  human: ({ account }, { paint }) => `${paint.bold(visible(account))} is empty, as it was made`,
}
