// Hostile inputs of files, packages, tools and models, and what is answered to them, by the ids that tests cite.
export const hostileRequirements = {
  'hostile.S01':
    'Paths that lead out are decoded once and refused in every spelling: 400 or 404, and no file is reached.',
  'hostile.S02':
    'Links and second names are absent, also when they are swapped between the check and the use.',
  'hostile.S03':
    'Names are NFC, at most 255 bytes and without control characters; twins get numbers; no name reaches a header.',
  'hostile.S04': 'A thread id of the wrong form is 422 on every route that takes one.',
  'hostile.S05':
    'What a form says of the type of a file is not believed; empty files, many files and one name twice do no harm.',
  'hostile.S06':
    'Too large, lying, endless and slow uploads are refused early, the connection is closed, and nothing is left.',
  'hostile.S07':
    'A package with an entry that leads out, links, repeats a name or is no file is refused as a whole.',
  'hostile.S08':
    'Bombs are refused by what they say and by what they really hold, without being unpacked; packed bodies are 415.',
  'hostile.S09': 'The head of a SKILL.md is shown as the text that it is, whatever it holds.',
  'hostile.S10': 'A body of another content type than that of the route is 415.',
  'hostile.S11': 'What could act in a browser is an attachment, sealed off from this origin.',
  'hostile.S12':
    'Markup in answers, titles, calls, results, searches, names of files and models runs no script and loads nothing.',
  'hostile.S13':
    'Converting a document resolves no entity, fetches nothing, runs no macro and launches nothing; in a box, what runs all the same reaches no keys, settings or memory of the machine.',
  'hostile.S14': 'At most one range of bytes is answered, anything else is 416.',
  'hostile.S15':
    'A write needs the CSRF token of its own session, in both places; no GET changes anything, and no site beside this one can plant a cookie.',
  'hostile.S16': 'Cookies have the narrowest attributes that work, and are gone after signing out.',
  'hostile.S17': 'CORS answers exactly the configured origins, however alike others look.',
  'hostile.S18': 'Another site signs nobody in or out, and makes no account.',
  'hostile.S19':
    'A WebSocket of another site or without an origin is refused, repeats no protocol, and is closed for frames too large or too many.',
  'hostile.S20': 'No answer can be framed, sniffed, cached or told where it was asked from.',
  'hostile.S21':
    'Whether an e-mail has an account is told by no answer, no refusal and no amount of work of a sign-in.',
  'hostile.S22':
    'Guessing is slowed down per address and per account, from many addresses, in many names, and whatever headers say; nobody is locked out for good.',
  'hostile.S23':
    'Of two set-ups at once one wins; what the generated password opens is used up by choosing another one.',
  'hostile.S24':
    'A token is refused unless it is signed here, for this, for a session that goes on, of an account that is there.',
  'hostile.S25':
    'Passwords are measured in characters after NFKC, up to 1,024 of them, and every one of them counts.',
  'hostile.S26':
    'A sign-in has a new id; sessions are listed and ended; what is sensitive asks for the password again.',
  'hostile.S28':
    'The file with the first password is made, never followed or overwritten, and its text is nowhere else.',
  'hostile.S29':
    'A leaked, guessed, revoked or too weak API key opens nothing: not in addresses, not for other scopes, not on streams.',
  'hostile.S30': 'Every id in every route is answered as an absent one when it is of somebody else.',
  'hostile.S31': 'Who may only read, by a key or because a thread is shared, writes, ends and rates nothing.',
  'hostile.S32':
    'Whose a record is, when it was made and what became of it is set by the service, whatever fields a request has, under which names and how deep.',
  'hostile.S33':
    'A run that names a run, checkpoint or question of somebody else is answered like one that names nothing.',
  'hostile.S34':
    'Nothing that is kept for one person reaches another, also when both name and say the same at the same time.',
  'hostile.S35':
    'What is nobody’s is read and copied by everybody, and changed, deleted and claimed by nobody.',
  'hostile.S36':
    'What is an administrator’s is 403 for people and their keys and 401 for nobody; models, agents and people cannot be managed over HTTP.',
  'hostile.S37': 'What was deleted is gone by its old ids, on open streams and from every list.',
  'hostile.S38': 'Totals and numbers of one user do not change with what others do.',
  'hostile.S40':
    'Addresses that are not public are refused in every spelling, and so are other schemes and ports.',
  'hostile.S41':
    'Every redirect is checked anew, five at most; nothing that identifies anybody is sent, on no hop.',
  'hostile.S42':
    'The address that was checked is the one that is connected to, whatever the name says later; a page whose name leads to this machine is refused.',
  'hostile.S43': 'Bombs, endless, slow and oddly packed answers end within limits.',
  'hostile.S44':
    'What a model sends is data: it ends no stream, begins no frame and names no run, however it is spelled.',
  'hostile.S46':
    'Tool servers are started for administrators’ entries only: allowed programs, no code in flags or variables, and no variables of the service itself.',
  'hostile.S47':
    'No answer and no log shows a secret of a tool server; the mask that is written back keeps it.',
  'hostile.S48':
    'A command sees nothing of the machine, of others or of the service, reaches nobody, and is stopped at its limits.',
  'hostile.S49':
    'An imported package is data: cycles, masses of messages and states beyond the limit are refused, and nothing in it runs.',
  'hostile.S50':
    'Code of a database in metadata, filters, sorting and cursors is data: it finds what has that very text, and nothing else.',
  'hostile.S51': 'Operators of search indexes in a search query are words, and so is everything else.',
  'hostile.S52': 'Nothing that a request says can begin a line of the log or control a terminal.',
  'hostile.S53': 'Constructors, dates, buffers and prototypes in a state stay the plain JSON that they are.',
  'hostile.S54':
    'Ids, titles and contents that look like frames end no stream, begin no frame and name no event.',
  'hostile.S55':
    'Nothing that is shown loads anything from elsewhere: no image, style, icon, diagram or refresh of an answer, a result or a file.',
  'hostile.S56':
    'Orders in web pages, documents, cells, names of files and results of tools reach the model as material, and what needs a permission still asks for it.',
  'hostile.S57':
    'Marks of the service and of chat templates in what others wrote are escaped in prompts, and only there.',
  'hostile.S58':
    'A fact that was planted shows where it comes from, is taken back at once, and never reaches another person.',
  'hostile.S60':
    'Where others can reach the service, nothing is open but what is public by decision, and no secret can be guessed.',
  'hostile.S61':
    'No odd Host, target, method, header or framing reaches a route without its session, fails, or makes a path public.',
  'hostile.S62':
    'Every route answers no body, wrong types, doubled keys, lone surrogates and numbers out of range with 4xx.',
  'hostile.S63':
    'No text is matched slowly: every regular expression of the service is linear, and those of users run where they can be killed.',
  'hostile.S64': 'Bodies of very many values, keys, levels or bytes are refused at little cost.',
  'hostile.S65':
    'Slow, idle, oversized, doubly measured and pipelined requests are bounded in time, number and size, and read in one way.',
  'hostile.S66':
    'What one user may cost has caps: steps of a run, runs that wait, tool calls and sub-agents of an answer, the size of a prompt.',
  'hostile.S67': 'A user who opens more streams than allowed loses the oldest, not the service.',
  'hostile.S68':
    'A listing answers a page of its own size at most, or 422: for no count, place or cursor does it answer more or fail.',
  'hostile.S70':
    'Packages are taken as they were reviewed: exact versions, known bytes, named install scripts, a list of all parts, and what is known against one is looked at.',
  'hostile.paths':
    'No path of the machine is in an answer, an event, a frame or a prompt, whatever is asked and whatever fails.',
} as const;
