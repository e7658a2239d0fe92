import type { Command } from 'commander'
import { openApiDocument } from '../../contract/openapi/document.ts'
import { newCommand } from '../new-command.ts'
import { readContract } from '../read-file.ts'

export function command(): Command {
  return newCommand('openapi')
    .description('Prints the merchant API as an OpenAPI 3.1 document, by the contract in force.')
    .option('--contract <file>', 'with the overrides of this file')
    .option('--server <url>', 'the address to put into the document', 'http://127.0.0.1:7297')
    .addHelpText('after', '\nExamples:\n  paysim openapi > merchant-api.json')
    .action(print)
}

async function print({ contract, server }: { contract?: string; server: string }): Promise<void> {
  process.stdout.write(`${JSON.stringify(openApiDocument(await readContract(contract), server), null, 2)}\n`)
}
