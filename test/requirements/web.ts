// Requirements of the web app, by the ids that tests cite.
export const webRequirements = {
  'web.agents':
    'Agents can be created, changed and restored to a version; a chat keeps its agent and model on every device.',
  'web.memory':
    'A page shows what an agent remembers of a person, each fact with its source; facts can be searched, added, changed, deleted, undone, exported and imported, and memory can be switched off.',
  'web.agents.held': "A message in a newly opened chat waits until the chat's agent is known.",
  'web.import.left-out': 'After an account import the page lists what could not be imported, and why.',
  'web.fallback': 'A reply from a model other than the chosen one says so, and why.',
  'web.run-stop': 'A run ended by its budget or a loop says why, and offers a way to continue.',
  'web.context':
    'The top of a chat shows how full the last prompt was and what the chat has used, read after each run.',
  'web.schedules':
    'A page creates schedules with or without cron, changes, pauses, runs and deletes them, and shows the outcome of each slot with a link to its chat.',
  'web.schedules.news':
    'People with schedules see how many have run since their last visit; for others the page makes no request.',
  'web.setup':
    'A person signs in with the generated administrator account and is guided through first-time setup (new e-mail and password).',
  'web.pages':
    'The sidebar or the settings navigation links to every page that is not opened in another way.',
  'web.sign-in.wrong': 'A wrong e-mail or password gets a clear message.',
  'web.sign-in.locked': 'A lockout after too many failures shows the remaining time.',
  'web.sign-in.unreachable': 'If the service does not respond, the page says that it is unreachable.',
  'web.sign-in.next': 'After signing in the app shows the requested address, and never another site.',
  'web.session-lost': 'A 401 anywhere leads to the sign-in screen.',
  'web.register': 'Where registration is open, a person can create an account and start using it.',
  'web.account': 'The account menu changes the password and the e-mail address, and signs out.',
  'web.usage':
    "A page shows the person's usage by day and model, with its cost, and what remains today; a chat that reached a budget says so.",
  'web.usage.answer':
    'A line below a reply shows its tokens, its models and, if known, its cost, also while it is written.',
  'web.usage.day':
    'When the budget of a day is reached, the chat says when it is renewed and offers no retry until then.',
  'web.api-keys':
    'A page creates API keys, shows each once, lists them with their last use, and revokes them.',
  'web.skills':
    'A page lists and searches shipped and own skills, and people switch each on or off for themselves; administrators switch shipped ones for everyone.',
  'web.skills.install':
    'A package can be installed by choosing or dropping it: the page shows what the scan found, and an administrator can install it nevertheless.',
  'web.skills.edit':
    'People can create, read and edit their own skills with files, restore earlier versions, and delete skills; administrators confirm critical scan findings. A deleted skill can be restored or deleted permanently.',
  'web.skills.manage':
    'When the agent changes a skill, the chat shows the difference with a link to the skill, or the reason for the failure.',
  'web.skills.with-servers':
    'A person who installs a skill and adds a tool server by pasting its JSON sees in a chat that the agent used both.',
  'web.skills.choose':
    'A slash at the beginning of a message lists the enabled skills, for keyboard and touch.',
  'web.tool-servers':
    "A page shows the status of each tool server, its tools' effects and when they ask for approval; administrators change these settings.",
  'web.tool-servers.sign-in':
    'People sign in to a tool server that requires it, see the result, and sign out.',
  'web.tool-servers.call':
    "A call of a server's tool is shown with the server's name, its arguments, progress and result.",
  'web.tool-servers.form':
    'A question of a tool server is a form with its fields; it shows the server and each error with its reason, and can be accepted, declined or cancelled.',
  'web.tool-servers.change':
    'Before approval, a changed tool is shown with the differences in its description and arguments.',
  'web.tool-servers.add':
    'Administrators add a tool server by a form or as JSON, test it, and remove it; errors are explained in words.',
  'web.sessions':
    "The account page lists the person's sessions, marks the current device, and signs out the others one by one or all at once.",
  'web.password-again':
    'An action that requires the password again asks for it in a dialog, and then continues.',
  'web.export': 'The account page exports the whole account as a browser download.',
  'web.export.thread': 'The menu of a chat exports it; the account page imports it by choosing or dropping.',
  'web.import': 'The account page imports a package and lists what was imported.',
  'web.import.refused':
    'The page explains in a sentence why a package was not imported, even if a proxy refused it.',
  'web.import.progress':
    'An import shows its progress, continues while other pages are open, and can be cancelled.',
  'web.machine':
    "The account page shows administrators, and nobody else, what is missing to confine the agent's commands.",
  'web.delete-account':
    'An account is deleted after its password and e-mail address were entered; a refusal is shown.',
  'web.account.keys': 'A person who changes the password can revoke all API keys at the same time.',
  'web.tool.words': 'A call of a built-in tool is shown in words, not by its name.',
  'web.stream': 'A reply streams in; tool calls show their name, arguments, state and result.',
  'web.url': 'A chat has its id in the address and its title in the list.',
  'web.csp': "The app works under the service's Content-Security-Policy.",
  'web.reload': 'A reload in mid-stream loses nothing and shows the current reply.',
  'web.other-tab': 'A reply in progress is shown in a tab that did not request it.',
  'web.stop': 'The stop button ends a run and keeps its text.',
  'web.end.stopped': 'A stopped reply says so, even before its first word, visibly and to screen readers.',
  'web.end.empty': 'An empty reply says so, and can be requested again.',
  'web.end.failed':
    'A failed reply is announced to screen readers, and its reason stays visible later in the chat.',
  'web.end.lost': 'After a lost connection, a reply is announced as complete only when it is.',
  'web.end.cut': "A reply that reached its model's length limit says that it is cut off.",
  'web.pause.provider':
    'While a provider requires a pause, the reply gives the reason and counts down, in every window.',
  'web.usage.turn': 'The usage of a turn is the sum of all its runs; a question that was answered keeps it.',
  'web.models.words':
    'Models are shown by their display names and descriptions; rules of the demo model are not offered for real models.',
  'web.one-stream': 'A tab reads at most one run: leaving a chat ends the stream, not the run.',
  'web.restart': 'If the service is killed during a run and restarted, the page continues by itself.',
  'web.restart.seen':
    'Text of a reply that was visible stays on the screen while it is written again after a crash.',
  'web.reopen': 'After a restart of the service a chat opens with everything it had.',
  'web.messages': 'The messages of a thread are shown as turns; messages with an unknown shape are omitted.',
  'web.question':
    'A question of ask_clarification shows its options as buttons; the response is the next message.',
  'web.forms': "An error in a form is shown below its field, in the app's own words.",
  'web.approve':
    'A tool that needs approval is shown with its actual arguments, and runs after the person approves.',
  'web.approve.diff': 'A text that replaces another one is shown as a difference before approval.',
  'web.approve.edit': 'The arguments of a tool call can be changed before it runs.',
  'web.approve.always':
    'A tool can be allowed for the rest of a chat, in this browser: the page shows that, answers for the person, and asks again after the permission is withdrawn.',
  'web.approve.refuse': 'A rejected tool call does not run, and the agent gets the reason.',
  'web.approve.all':
    'Several actions are decided one by one or together, and answered together, in their order.',
  'web.approve.keyboard': 'Approvals can be given by keyboard alone; a form returns the focus.',
  'web.approve.reload':
    'An open interrupt is shown again after a reload and in every tab, until one of them answers.',
  'web.approve.restart': 'An open interrupt survives a crash of the service.',
  'web.approve.message':
    'A new message may be sent instead of an answer, and the page explains the effect before: the pending action is not done, and marked so. The same holds for a message that was already queued.',
  'web.ask': 'A question in an unknown form is shown unchanged, and answered in words.',
  'web.pause': 'A run that was stopped at a breakpoint continues at the press of a button.',
  'web.subagents':
    'A sub-agent shows its task, its last action and its number of steps, also after a reload.',
  'web.subagents.steps':
    'The steps of a sub-agent are loaded when they are opened, during its work and long after.',
  'web.subagents.approval':
    'A sub-agent that needs approval is named by its task; several are answered one after another.',
  'web.subagents.quiet': 'Actions of a sub-agent are rendered only by its own card.',
  'web.regenerate': 'The last reply can be generated again; the earlier one is kept as another version.',
  'web.edit': 'An earlier message can be reworded; the original is kept as another version.',
  'web.versions': 'Versions of a message are counted and can be shown again, also after a reload.',
  'web.versions.focus':
    'The focus returns to the version buttons that were pressed, unless the person has moved it meanwhile.',
  'web.copy': 'A chat can be copied; the copy is an independent chat.',
  'web.reasoning': 'Reasoning is collapsed until it is opened.',
  'web.summary':
    'A line shows up to where the agent reads a summary instead of messages; the summary can be read.',
  'web.thinking': 'Model and thinking are sent with the run.',
  'web.markdown': 'Replies are rendered as Markdown, code with colours and a copy button.',
  'web.markdown.exact':
    'A complete reply is shown exactly as it was written: unclosed marks stay as they are.',
  'web.markdown.direction': 'Every block of a reply has the text direction of its script.',
  'web.markdown.notes': 'Footnote marks link to the notes of the same reply, and back.',
  'web.markdown.tables':
    'A table that is wider than the chat does not break words, scrolls, and shows that there is more.',
  'web.markdown.math':
    'Formulas are rendered, amounts of money and notes in brackets are not, and the renderer is loaded with the first formula.',
  'web.markdown.diagram':
    'A Mermaid diagram is drawn as an inert picture, with its source available; an invalid one stays source text.',
  'web.markdown.safe': 'No script of a reply runs and none of its images is loaded from elsewhere.',
  'web.caret':
    'When editing a message, the cursor is at its end; when renaming a chat, its title is selected.',
  'web.composer.phone': 'On a phone Enter starts a new line, and the button sends.',
  'web.unknown-page':
    'An unknown address gets status 404 and a page that says so; below the paths of the API it gets JSON.',
  'web.error': 'A failed run shows its sentence, also after a reload, and can be tried again.',
  'web.threads': 'Chats can be searched by title, renamed, and, after a confirmation, deleted.',
  'web.threads.order': 'Chats are listed by their last message; renaming one does not move it.',
  'web.search': 'Titles and messages are searched while the person types, with matches marked.',
  'web.search.keyboard': '/ and Ctrl+K lead to the search, arrow keys and Enter to the message.',
  'web.search.nothing': 'A search that finds nothing says so; Escape ends it.',
  'web.search.phone': 'The search works at a width of 360 pixels.',
  'web.upload':
    'Files upload while the message is being written, are sent with it, and are shown with it after a reload.',
  'web.upload.refused':
    'The reason why a file was refused is shown at the file, if possible before it is sent; the other files are not delayed.',
  'web.upload.wordless': 'Files can be sent without text.',
  'web.upload.progress': 'At most two files are uploaded at once, with their progress, and can be cancelled.',
  'web.upload.retry': 'A file whose upload failed can be sent again.',
  'web.upload.conversion':
    'The message and the list of files show that a document is being converted, or why it was not.',
  'web.upload.drop': 'Files can be dropped anywhere on the page, and pasted.',
  'web.upload.keyboard': 'Files are added and removed by keyboard alone.',
  'web.plan':
    'In plan mode every window shows the plan while it changes, in words and symbols, also after a reload.',
  'web.command':
    'A command is shown with its output as it arrives, without terminal control characters, and with its outcome.',
  'web.diff': "A tool's changes to a file are shown line by line.",
  'web.work':
    'Completed work of an agent is collapsed into one line with its steps and time, which opens by keyboard; it excludes what failed or waits.',
  'web.folded': 'Tool calls of earlier turns are collapsed to one line each, and expanded by keyboard.',
  'web.files': "A panel lists the files of a chat, follows the agent's changes, and deletes uploads.",
  'web.files.beside': "Beside the file panel, the message box still shows the model's name.",
  'web.files.presented': 'Files that the agent presents are cards that open the panel.',
  'web.files.opened':
    'Files that the agent presents open beside the chat if there is space, and never over it.',
  'web.files.looked':
    'An image that the agent viewed is shown in its card, and opens; a deleted one is marked as such.',
  'web.files.viewers': 'Documents, code, images, tables and pages are shown in suitable viewers.',
  'web.files.sandbox': 'No script of a file runs, and none reaches the surrounding page.',
  'web.files.edit': 'An edit replaces a text only if it has not changed since; otherwise the person chooses.',
  'web.changes': 'Below a reply that changed files, one line shows how many, and opens the differences.',
  'web.changes.still':
    'Buttons below a reply appear together with the line of changed files, and are not moved by it.',
  'web.changes.restore':
    'The files can be restored to before a reply or after a question, and that can be undone.',
  'web.changes.branch':
    'A person who rewords a message or requests another reply can restore the files, too.',
  'web.composer': 'Enter sends, Shift+Enter starts a new line, the box grows with the text.',
  'web.draft': 'An unsent text survives a reload.',
  'web.draft.session':
    'Typed and sent text is there after the same person signs in again, and never for anybody else.',
  'web.outbox':
    'A message sent while offline is marked, can be changed or discarded, survives the page, and is sent in its order.',
  'web.outbox.next': 'A message written at the moment when the previous one is accepted is sent, too.',
  'web.outbox.once': 'A message whose response was lost is sent again with the same key, and appears once.',
  'web.outbox.refused': 'A message that the service refuses returns to the message box, with the reason.',
  'web.outbox.still': 'A message stays on the screen if its run ended before the chat was loaded.',
  'web.queue.decision':
    'If a queued message was accepted before a person answered an interrupt, the reply says so.',
  'web.queue':
    'A message sent during a reply waits for its end, in order, also after a reload; it can be withdrawn.',
  'web.live':
    "A message sent in one window, and its reply as it is written, are shown in the person's other windows.",
  'web.live.list': 'All windows show new chats, which ones are replying, new titles, and deletions.',
  'web.chat-model':
    'The selected model is the one that replied last in the chat; an interrupted run continues with its own.',
  'web.scroll': 'The view follows the reply unless the reader scrolled away, and then offers a way back.',
  'web.phone': 'The app works at a width of 360 pixels.',
  'web.dark': 'There is a dark and a light theme: as in the system, or as chosen and stored.',
  'web.keyboard': 'Everything is reachable by keyboard, with a visible focus.',
  'web.motion': 'Reduced motion is respected.',
  'web.long-chat':
    'A chat of hundreds of turns opens fast, at its end, and contains all its text; parts are drawn when they are scrolled to.',
  'web.long-chat.typing': 'Typing in a long chat is as fast as in an empty one.',
  'web.print':
    'A chat is printed whole, black on white: every turn and everything collapsed, without buttons.',
  'web.print.pictures':
    "If a chat is printed with the browser's keyboard shortcut, formulas and diagrams that were never near the screen are drawn first.",
  'web.print.menu':
    'An idle page draws the formulas and diagrams of its chat, in case it is printed from the browser menu.',
  'web.print.wide': 'A formula wider than the paper is broken into lines, or made smaller.',
  'web.build': 'The app is built with the production version of React, whatever NODE_ENV says.',
  'web.axe': 'axe finds no violation on any screen, in both themes.',
  'web.rating': 'A finished reply can be rated, with a comment; the rating is there after a reload.',
  'web.rating.failed': 'A rating that could not be saved is reverted, and the page says so.',
} as const;
