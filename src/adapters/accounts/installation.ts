import type { Db } from './quota.ts'

/** The value that all nodes share under a name. The first given value stays. */
export const shareValue = async (db: Db, name: string, value: string): Promise<string> => {
  await db
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirstOrThrow()).value
}
