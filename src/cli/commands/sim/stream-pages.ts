import type { StreamMessage } from '../../../client/control-client.ts'
import type { OutputFlags } from '../../output/flags.ts'
import type { PageStream, Printer } from '../../output/printer.ts'
import { writerTo } from '../../output/printer.ts'
import { openScreen } from '../../output/screen.ts'
import { streamLines } from './views/stream-line.ts'

/** Messages as they come: lines for people, and records for programs. */
export async function streamPages(printer: Printer, flags: OutputFlags): Promise<PageStream<StreamMessage>> {
  if (printer.format !== 'human' || flags.query !== undefined)
    return printer.stream<StreamMessage>({ human: () => '', rows: message => [message] })
  const screen = await openScreen(process.stdout, flags)
  const write = writerTo(process.stdout)
  return { page: message => write(streamLines(message, screen)), end: async () => {} }
}
