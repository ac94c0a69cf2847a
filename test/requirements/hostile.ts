// Hostile input in files, packages, tools and models, and how the service responds, by the ids that tests cite.
export const hostileRequirements = {
  'hostile.S01':
    'Paths that leave the thread are decoded once and refused in every spelling: 400 or 404, and no file is reached.',
  'hostile.S02':
    'Symbolic and hard links are treated as absent, even if they are swapped between the check and the use.',
  'hostile.S03':
    'Names are NFC, at most 255 bytes and without control characters; duplicates get numbers; no name reaches a header.',
  'hostile.S04': 'A malformed thread id is 422 on every route that takes one.',
  'hostile.S05':
    'The content type in a form is not trusted; empty files, many files and duplicate names do no harm.',
  'hostile.S06':
    'Uploads that are too large, endless, slow or misdeclared are refused early, the connection is closed, and nothing remains.',
  'hostile.S07':
    'A package with an entry that leaves the folder, is a link, repeats a name or is not a file is refused as a whole.',
  'hostile.S08':
    'Bombs are refused by their declared and by their real size, without being unpacked; compressed bodies are 415.',
  'hostile.S09': 'The head of a SKILL.md is shown as plain text, whatever it contains.',
  'hostile.S10': 'A body whose content type the route does not accept is 415.',
  'hostile.S11': 'Content that could be active in a browser is an attachment, isolated from this origin.',
  'hostile.S12':
    'Markup in replies, titles, calls, results, searches, file names and model names runs no script and loads nothing.',
  'hostile.S13':
    'Converting a document resolves no entity, fetches nothing, runs no macro and starts no program; inside the sandbox, code that runs nevertheless cannot reach keys, settings or memory of the machine.',
  'hostile.S14': 'At most one byte range is returned; an invalid one is 416.',
  'hostile.S15':
    'A write needs the CSRF token of its own session in cookie and header; no GET changes anything, and no neighbouring site can plant a cookie.',
  'hostile.S16': 'Cookies have the strictest attributes that work, and are removed by signing out.',
  'hostile.S17': 'CORS allows exactly the configured origins, however similar others look.',
  'hostile.S18': 'Another site cannot sign anybody in or out, or create an account.',
  'hostile.S19':
    'A WebSocket from another site or without an origin is refused, echoes no protocol, and is closed after frames that are too large or too many.',
  'hostile.S20': 'No response can be framed, sniffed or cached, or reveals the referring page.',
  'hostile.S21': 'No response, refusal or cost of a sign-in reveals whether an e-mail has an account.',
  'hostile.S22':
    'Password guessing is slowed down per address and per account, from many addresses, with many names, and whatever the headers say; nobody is locked out permanently.',
  'hostile.S23':
    'Of two concurrent set-ups one succeeds; after a new password is chosen, the generated one no longer works.',
  'hostile.S24':
    'A token is refused unless this service signed it, for this purpose, for an active session of an existing account.',
  'hostile.S25': 'Passwords are measured in characters after NFKC, up to 1,024, and every character counts.',
  'hostile.S26':
    'Every sign-in has a new id; sessions can be listed and ended; sensitive actions require the password again.',
  'hostile.S28':
    'The file with the first password is created, never followed or overwritten, and the password is nowhere else.',
  'hostile.S29':
    'A leaked, guessed, revoked or insufficient API key grants no access: not in URLs, not for other scopes, not on streams.',
  'hostile.S30': 'Every id of another user, on every route, gets the same response as an absent one.',
  'hostile.S31': 'A read-only user, by an API key or a shared thread, cannot write, end or rate anything.',
  'hostile.S32':
    'The service sets the owner, the creation time and the outcome of a record, whatever fields a request contains, under any name and at any depth.',
  'hostile.S33':
    "A run that names another user's run, checkpoint or interrupt gets the same response as one that names none.",
  'hostile.S34':
    'Data cached for one person never reaches another, even if both use the same names and texts at the same time.',
  'hostile.S35': 'Everybody can read and copy ownerless records; nobody can change, delete or claim them.',
  'hostile.S36':
    'Routes of administrators are 403 for other people and their keys and 401 without a session; models, agents and people cannot be managed over HTTP.',
  'hostile.S37': 'Deleted records cannot be reached by their ids, on open streams or in any list.',
  'hostile.S38': 'Totals and numbers of one user do not change with the actions of others.',
  'hostile.S40': 'Non-public addresses are refused in every spelling, and so are other schemes and ports.',
  'hostile.S41':
    'Every redirect is checked again, at most five are followed, and no hop receives anything that identifies a user.',
  'hostile.S42':
    'The connection goes to the address that was checked, whatever the name resolves to later; a page whose name resolves to this machine is refused.',
  'hostile.S43': 'Bombs and endless, slow or oddly compressed responses end within limits.',
  'hostile.S44':
    'Model output is data: whatever its spelling, it cannot end a stream, begin a frame or name a run.',
  'hostile.S46':
    "Only entries of administrators start tool servers: with allowed programs, without code in flags or variables, and without the service's own variables.",
  'hostile.S47':
    'No response and no log contains a secret of a tool server; writing the mask back keeps the secret.',
  'hostile.S48':
    'A command cannot see the machine, other users or the service, cannot reach them, and is stopped at its limits.',
  'hostile.S49':
    'An imported package is data: cycles, huge numbers of messages and states beyond the limit are refused, and nothing in it runs.',
  'hostile.S50':
    'Database code in metadata, filters, sorting and cursors is data: it matches only the same text.',
  'hostile.S51': 'Operators of search indexes in a search query are plain words.',
  'hostile.S52': 'No request can start a new line in the log or control a terminal.',
  'hostile.S53': 'Constructors, dates, buffers and prototypes in a state stay plain JSON.',
  'hostile.S54':
    'Ids, titles and contents that look like frames cannot end a stream, begin a frame or name an event.',
  'hostile.S55':
    'Nothing on a page loads anything from elsewhere: no image, style, icon, diagram or refresh in a reply, result or file.',
  'hostile.S56':
    'Instructions in web pages, documents, cells, file names and tool results reach the model as data, and actions that need approval still ask for it.',
  'hostile.S57':
    'Marks of the service and of chat templates in text from others are escaped in prompts, and only there.',
  'hostile.S58':
    'A planted fact shows its source, can be undone in one step, and never reaches another person.',
  'hostile.S60':
    'When others can reach the service, only what is public by decision is open, and no secret can be guessed.',
  'hostile.S61':
    'No malformed Host, target, method, header or framing reaches a route without a session, causes a failure, or makes a path public.',
  'hostile.S62':
    'Every route returns 4xx for a missing body, wrong types, duplicate keys, lone surrogates and numbers out of range.',
  'hostile.S63':
    'No text makes a match slow: every regular expression of the service is linear, and those of users run where they can be killed.',
  'hostile.S64': 'Bodies with very many values, keys, levels or bytes are refused at little cost.',
  'hostile.S65':
    'Slow, idle, oversized and pipelined requests and those with two lengths are bounded in time, number and size, and have one interpretation.',
  'hostile.S66':
    'The cost of one user is capped: steps of a run, waiting runs, tool calls and sub-agents of a reply, the size of a prompt.',
  'hostile.S67': 'A user who opens more streams than allowed loses the oldest; the service is not affected.',
  'hostile.S68':
    'A listing returns at most one page, or 422; no count, position or cursor makes it return more or fail.',
  'hostile.S70':
    'Packages are installed as reviewed: exact versions, known hashes, named install scripts, a list of all parts, and a check for known vulnerabilities.',
  'hostile.paths':
    'No path of the machine appears in a response, event, frame or prompt, whatever is requested and whatever fails.',
} as const;
