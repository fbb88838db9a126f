--- `:Drawbridge` and its subcommands.

require("drawbridge.wiring")
local say = require("drawbridge.say")
local sessions = require("drawbridge.sessions")
local state = require("drawbridge.state")
local window = require("drawbridge.window")

local M = {}

---@class drawbridge.Call A subcommand as it was given.
---@field words string[] What follows its name.
---@field rest string The same as one text.
---@field bang boolean
---@field range? { first: integer, last: integer }

---@class drawbridge.Subcommand
---@field run fun(call: drawbridge.Call)
---@field complete? fun(words: string[]): string[] What may come next.
---@field about string

--- When each open question came, to tell one that was read from one that was not.
---@type table<string, number>
local asked_at = {}
--- A question younger than this, in ms, is not answered without being named.
local unread_ms = 1000

---@param approval drawbridge.ApprovalRequestParams
---@return string
local function name_of(approval)
  return approval.sessionId .. " " .. approval.approvalId
end

state.on_change(function(_, what)
  local approval = what.kind == "approvals" and what.approval
  if approval then
    asked_at[name_of(approval)] = asked_at[name_of(approval)] or vim.uv.hrtime() / 1e6
  end
end)

---@param id string
---@return drawbridge.ApprovalRequestParams?
local function question(id)
  return vim.iter(state.asked()):find(function(approval)
    return approval.approvalId == id
  end)
end

--- The questions about what the cursor is on: the call of a subagent, else the call,
--- with the questions of the subagents that it started.
---@param all drawbridge.ApprovalRequestParams[]
---@return drawbridge.ApprovalRequestParams[]
local function under_cursor(all)
  local conversation = require("drawbridge.conversation")
  local within, item = conversation.within_at_cursor(), conversation.item_at_cursor()
  local inner = vim.tbl_filter(function(a)
    return within ~= nil and a.sessionId == within.sessionId and a.callId == within.item.callId
  end, all)
  return #inner > 0 and inner
    or vim.tbl_filter(function(a)
      return item ~= nil and (a.origin and a.origin.callId or a.callId) == item.callId
    end, all)
end

--- The question that is meant: the named one, that of the call under the cursor,
--- or the only one. What came a moment ago may not have been read yet.
---@param id string?
---@return drawbridge.ApprovalRequestParams?
local function meant(id)
  local all = state.asked()
  if #all == 0 then
    say.info("no question waits")
    return nil
  end
  if id then
    return question(id)
  end
  local here = under_cursor(all)
  local only = #here == 1 and here[1] or (#all == 1 and all[1] or nil)
  if not only then
    require("drawbridge.approvals.asking").list()
    return nil
  end
  if vim.uv.hrtime() / 1e6 - (asked_at[name_of(only)] or 0) < unread_ms then
    say.warn("this came just now: " .. only.title)
    require("drawbridge.approvals.asking").open(only.approvalId)
    return nil
  end
  return only
end

---@return string[]
local function question_ids()
  return vim.tbl_map(function(a)
    return a.approvalId
  end, state.asked())
end

---@return string[]
local function change_names()
  return require("drawbridge.review.catalogue").names()
end

---@return string[]
local function terminal_ids()
  local ids = {}
  for _, c in ipairs(state.family()) do
    vim.list_extend(ids, c.terminalOrder)
  end
  return ids
end

---@return string[]
local function subagent_ids()
  return require("drawbridge.subagents").ids()
end

---@param call drawbridge.Call
---@return string? id
---@return string rest
local function leading_question(call)
  local first = call.words[1]
  if first and question(first) then
    return first, vim.trim(call.rest:sub(#first + 1))
  end
  return nil, call.rest
end

---@param kind drawbridge.OptionKind
---@param call drawbridge.Call
local function decide(kind, call)
  local id, comment = leading_question(call)
  local approval = meant(id)
  if approval then
    require("drawbridge.approvals").choose(approval.approvalId, kind, {
      comment = comment ~= "" and comment or nil,
      session_id = approval.sessionId,
    })
  end
end

---@param name string
---@return fun(call: drawbridge.Call)
local function review(name)
  return function(call)
    require("drawbridge.review")[name](call.rest ~= "" and call.rest or nil)
  end
end

---@type table<string, drawbridge.Subcommand>
M.subcommands = {
  open = {
    about = "show the conversation",
    run = function()
      require("drawbridge.prompt").open({ insert = true })
      require("drawbridge.models").look()
      if not require("drawbridge.client").session() then
        sessions.find_last(function()
          require("drawbridge.conversation").redraw_empty()
        end)
      end
    end,
  },
  toggle = {
    about = "show the conversation, or hide it",
    run = function()
      if window.is_open() then
        window.close()
      else
        M.subcommands.open.run({ words = {}, rest = "", bang = false })
      end
    end,
  },
  prompt = {
    about = "say something; without a text opens the prompt",
    run = function(call)
      local prompt = require("drawbridge.prompt")
      if call.rest ~= "" and not call.range then
        window.open({ focus = "none" })
        prompt.say(call.rest)
        return
      end
      local bufnr = vim.api.nvim_get_current_buf()
      prompt.open({ insert = true })
      if call.range then
        prompt.mention(bufnr, call.range.first, call.range.last)
      end
      if call.rest ~= "" then
        prompt.set(call.rest, { append = true })
      end
    end,
  },
  send = {
    about = "selection: mention the lines of the range in the prompt",
    complete = function()
      return { "selection" }
    end,
    run = function(call)
      local bufnr = vim.api.nvim_get_current_buf()
      local line = vim.api.nvim_win_get_cursor(0)[1]
      local range = call.range or { first = line, last = line }
      window.open({ focus = "none" })
      require("drawbridge.prompt").mention(bufnr, range.first, range.last)
    end,
  },
  stop = { about = "stop the running turn", run = sessions.stop },
  new = {
    about = "begin a conversation, with the tools of a profile where one is named",
    complete = function()
      return require("drawbridge.protocol").profiles
    end,
    run = function(call)
      local profile = call.words[1]
      local known = require("drawbridge.protocol").profiles
      if profile and not vim.list_contains(known, profile) then
        say.error(("there is no profile %s; there are %s"):format(profile, table.concat(known, ", ")))
        return
      end
      require("drawbridge.prompt").open({ insert = true })
      sessions.new(nil, profile)
    end,
  },
  sessions = { about = "choose a conversation of this folder", run = sessions.pick },
  resume = {
    about = "open the last conversation of this folder",
    run = function()
      require("drawbridge.prompt").open({ insert = true })
      sessions.resume()
    end,
  },
  continue = {
    about = "take up a turn that was interrupted, stopped or failed",
    run = function()
      window.open({ focus = "none" })
      sessions.continue()
    end,
  },
  resend = {
    about = "edit the last prompt and send it in place of the old one",
    run = function()
      require("drawbridge.prompt").resend()
    end,
  },
  mode = {
    about = "who answers when an effect needs a yes",
    complete = function()
      return require("drawbridge.protocol").modes
    end,
    run = function(call)
      require("drawbridge.choices").mode(call.words[1])
    end,
  },
  model = {
    about = "which model is asked",
    complete = function()
      local server = require("drawbridge.client").capabilities()
      return server and server.models or {}
    end,
    run = function(call)
      require("drawbridge.choices").model(call.words[1])
    end,
  },
  review = { about = "go to a change that waits, or take a settled one up again", complete = change_names, run = review("open") },
  accept = {
    about = "accept the hunk under the cursor; with ! all of the file",
    run = function(call)
      require("drawbridge.review")[call.bang and "accept_file" or "accept_hunk"]()
    end,
  },
  reject = {
    about = "reject the hunk under the cursor, with a word to the model; with ! all of the file",
    run = function(call)
      require("drawbridge.review")[call.bang and "reject_file" or "reject_hunk"](call.rest ~= "" and call.rest or nil)
    end,
  },
  acceptall = {
    about = "accept every hunk that waits",
    run = function()
      require("drawbridge.review").accept_all()
    end,
  },
  rejectall = { about = "reject every hunk that waits, with a word to the model", run = review("reject_all") },
  acceptturn = {
    about = "accept what waits of the turn at hand",
    run = function()
      require("drawbridge.review").accept_turn()
    end,
  },
  rejectturn = { about = "reject what waits of the turn at hand, with a word to the model", run = review("reject_turn") },
  changes = {
    about = "list the changes of the conversation, turn by turn",
    run = function()
      require("drawbridge.review").changes()
    end,
  },
  rewind = {
    about = "take files back to before a turn, after a look at what that does; with ! that turn alone",
    complete = function()
      return require("drawbridge.rewind").names()
    end,
    run = function(call)
      require("drawbridge.rewind").start(call.words[1], call.bang)
    end,
  },
  next = {
    about = "go to the next hunk",
    run = function()
      require("drawbridge.review").next()
    end,
  },
  prev = {
    about = "go to the previous hunk",
    run = function()
      require("drawbridge.review").prev()
    end,
  },
  diff = { about = "show a change side by side", complete = change_names, run = review("diff") },
  edit = { about = "edit a proposal before accepting it", complete = change_names, run = review("edit") },
  quickfix = {
    about = "list every hunk that waits",
    run = function()
      require("drawbridge.review").quickfix()
    end,
  },
  approvals = {
    about = "see what is asked, and answer",
    complete = question_ids,
    run = function(call)
      require("drawbridge.approvals.asking").open(call.words[1])
    end,
  },
  allow = {
    about = "allow what is asked, once",
    complete = question_ids,
    run = function(call)
      decide("allow", call)
    end,
  },
  deny = {
    about = "deny what is asked, with a reason for the model",
    complete = question_ids,
    run = function(call)
      decide("deny", call)
    end,
  },
  why = {
    about = "show all there is about a question, and how it came to be asked",
    complete = question_ids,
    run = function(call)
      require("drawbridge.approvals.asking").why(call.words[1])
    end,
  },
  rules = {
    about = "list the rules and what is remembered, and forget some of it",
    run = function()
      require("drawbridge.rules").open()
    end,
  },
  trust = {
    about = "see the settings that the folder brings; yes: they count, no: they do not",
    complete = function()
      return { "yes", "no", "show" }
    end,
    run = function(call)
      require("drawbridge.trust").run(call.words[1])
    end,
  },
  terminals = {
    about = "show a command's terminal",
    complete = terminal_ids,
    run = function(call)
      require("drawbridge.terminals").show(call.words[1])
    end,
  },
  type = {
    about = "type a line into a command, without going to its terminal",
    complete = terminal_ids,
    run = function(call)
      local id = call.words[1]
      local known = id and vim.list_contains(terminal_ids(), id)
      local text = known and vim.trim(call.rest:sub(#id + 1)) or call.rest
      require("drawbridge.terminals").type(known and id or nil, text ~= "" and text or nil)
    end,
  },
  kill = {
    about = "end a running command, or a subagent that is named; the turn goes on",
    complete = function()
      return vim.list_extend(terminal_ids(), subagent_ids())
    end,
    run = function(call)
      local id = call.words[1]
      local subagent = id and vim.list_contains(subagent_ids(), id)
      require(subagent and "drawbridge.subagents" or "drawbridge.terminals").kill(id)
    end,
  },
  subagents = {
    about = "list the subagents, show what one does, stop one",
    complete = subagent_ids,
    run = function(call)
      require("drawbridge.subagents").open(call.words[1])
    end,
  },
  picture = {
    about = "open a picture that the model was given",
    run = function(call)
      require("drawbridge.pictures").open(call.words[1])
    end,
  },
  settings = {
    about = "open your settings file, or this folder's; problems: list what is wrong with them",
    complete = function()
      return { "user", "workspace", "problems" }
    end,
    run = function(call)
      require("drawbridge.settings").open(call.words[1])
    end,
  },
  key = {
    about = "hand over a provider's key, kept until Neovim ends",
    complete = function()
      return require("drawbridge.keys").providers()
    end,
    run = function(call)
      require("drawbridge.keys").enter(call.words[1])
    end,
  },
  log = {
    about = "show the bridge's log",
    run = function()
      require("drawbridge.report").log()
    end,
  },
  report = {
    about = "gather a report of a problem, without keys and names",
    run = function()
      require("drawbridge.report").open()
    end,
  },
  restart = {
    about = "end the bridge and start it anew",
    run = function()
      require("drawbridge.client").restart(function(err)
        if err then
          say.failure(err)
        else
          say.info("the bridge runs")
        end
      end)
    end,
  },
  health = {
    about = "check what Drawbridge needs",
    run = function()
      vim.cmd("checkhealth drawbridge")
    end,
  },
}

---@return string[]
local function names()
  local all = vim.tbl_keys(M.subcommands)
  table.sort(all)
  return all
end

--- Runs `:Drawbridge …`; without a subcommand shows the conversation.
---@param args vim.api.keyset.create_user_command.command_args
function M.run(args)
  local name = args.fargs[1] or "open"
  local bang = args.bang
  -- `:Drawbridge accept!` reads better than `:Drawbridge! accept`; both do.
  if name:sub(-1) == "!" then
    name, bang = name:sub(1, -2), true
  end
  local subcommand = M.subcommands[name]
  if not subcommand then
    say.error(("there is no :Drawbridge %s; <Tab> completes what there is"):format(name))
    return
  end
  local rest = vim.trim((args.args:gsub("^%s*%S+", "", 1)))
  subcommand.run({
    words = vim.list_slice(args.fargs, 2),
    rest = rest,
    bang = bang,
    range = args.range > 0 and { first = args.line1, last = args.line2 } or nil,
  })
end

--- What a <Plug> map does: a subcommand without arguments.
---@param name string
function M.plug(name)
  M.run({ fargs = { name }, args = name, bang = false, range = 0 })
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = line:gsub("^.-Drawbridge!?%s*", "", 1)
  before = before:sub(1, #before - #lead)
  local words = vim.split(vim.trim(before), "%s+", { trimempty = true })
  local candidates = {}
  if #words == 0 then
    candidates = names()
  elseif #words == 1 then
    local subcommand = M.subcommands[(words[1]:gsub("!$", ""))]
    candidates = subcommand and subcommand.complete and subcommand.complete(words) or {}
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, candidates)
end

return M
