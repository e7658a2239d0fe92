import type { Command } from 'commander'
import { openApiDocument } from '../../contract/openapi/document.ts'
import { newCommand } from '../command-table.ts'
import { readContract } from '../named-file.ts'

export function command(): Command {
  return newCommand('openapi')
    .description('Print the merchant API as an OpenAPI 3.1 document.')
    .option('--contract <file>', 'contract file with other decisions')
    .option('--server <url>', 'server address to put into the document', 'http://127.0.0.1:7297')
    .addHelpText('after', '\nExamples:\n  paysim openapi > merchant-api.json')
    .action(print)
}

async function print({ contract, server }: { contract?: string; server: string }): Promise<void> {
  process.stdout.write(`${JSON.stringify(openApiDocument(await readContract(contract), server), null, 2)}\n`)
}
