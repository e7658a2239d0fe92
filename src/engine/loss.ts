import { basename, dirname } from 'node:path'
import { rejection } from '../contract/errors.ts'
import { StartError } from './start-error.ts'

/** Something that was stored is gone. The account stops; the person decides how it goes on. */
export class LossError extends StartError {
  constructor(
    /** The path of the file, possibly with the number of a line. */
    readonly file: string,
    readonly why: string,
    owner?: { readonly account: string; readonly store: string },
  ) {
    const command = owner && commandFor(owner.store, owner.account)
    super(
      `${file}: ${why}. Nothing was changed. Restore the file from a backup${command === undefined ? '' : `, or continue with what is whole: ${command}`}`,
    )
    this.name = 'LossError'
  }

  /** The same, with the command that accepts it. */
  of(account: string, store: string): LossError {
    return new LossError(this.file, this.why, { account, store })
  }

  /** For callers. It names the file inside the account's folder, and no path of this machine. */
  rejectionOf(account: string) {
    const folder = basename(dirname(this.file))
    const name = basename(this.file)
    const file = folder === account ? name : `${folder}/${name}`
    return rejection(
      'service_unavailable',
      `The account ${account} is stopped over a loss in ${file}. Restore that file, or stop paysim and run ` +
        `\`${commandFor('STORE', account)}\` to continue with what is whole; the log of paysim has the details`,
    )
  }
}

const commandFor = (store: string, account: string) => `paysim store accept-loss ${store} ${account}`
