/** The folder of PostgreSQL's programs; undefined if they are not installed. */
export function postgresPrograms(): string | undefined
/** Why no PostgreSQL can run here; undefined if it can. */
export function whyNoPostgres(): string | undefined
