// The role under which Postgres shows and takes only the rows of one owner.

/** Has no login: the service's own role becomes it for one transaction. */
export const OWNER_ROLE = 'agent_service_owner';

/** The setting that the policies of the tables compare with. */
export const OWNER_SETTING = 'agent_service.owner';
