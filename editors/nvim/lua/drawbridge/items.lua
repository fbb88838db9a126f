--- How one thing of a conversation reads: its lines, which of them fold, and how
--- they are coloured. No buffer is touched here.

local reading = require("drawbridge.approvals.question")
local reduce = require("drawbridge.reduce")
local nested = require("drawbridge.subagents.nested")
local pictures = require("drawbridge.pictures")
local running = require("drawbridge.running")
local state = require("drawbridge.state")
local visible = require("drawbridge.visible")
local subagents = require("drawbridge.subagents.words")
local words = require("drawbridge.words")

local M = {}

---@class drawbridge.Mark A colour on lines of an item.
---@field line integer From 0, in the item.
---@field group string
---@field whole? boolean Up to the edge of the window.

---@class drawbridge.Drawn An item as text.
---@field lines string[]
---@field folds boolean The lines after the first fold under it.
---@field marks drawbridge.Mark[]
---@field inner? table<integer, "first"|"more"> Lines of folds within, from 1.
---@field within? table<integer, drawbridge.Within> What of a subagent stands on a line, from 1.

---@class drawbridge.Within
---@field item drawbridge.Item
---@field sessionId string

--- The most lines of one output that are shown; the terminal has the rest.
local max_output = 400

---@param ms number
---@return string
function M.duration(ms)
  local s = ms / 1000
  if s < 10 then
    return ("%.1fs"):format(s)
  elseif s < 60 then
    return ("%ds"):format(s)
  elseif s < 3600 then
    return ("%dm%02ds"):format(math.floor(s / 60), s % 60)
  end
  return ("%dh%02dm"):format(math.floor(s / 3600), math.floor(s % 3600 / 60))
end

---@param n integer
---@return string
function M.tokens(n)
  if n < 1000 then
    return tostring(n)
  elseif n < 1000000 then
    return ("%.1fk"):format(n / 1000)
  end
  return ("%.1fM"):format(n / 1000000)
end

--- Lines of a text as a buffer can hold them. What draws over other lines, as
--- bare carriage returns and escape codes do, is taken out.
---@param text string
---@return string[]
function M.lines(text)
  text = text:gsub("\r\n", "\n"):gsub("\27%[[0-9;?]*[ -/]*[@-~]", ""):gsub("\27%][^\7\27]*[\7\27]\\?", "")
  text = text:gsub("\r", "\n"):gsub("%z", "\\0")
  return vim.split(text, "\n", { plain = true })
end

--- A fence that nothing in the text can close.
---@param text string
---@return string
local function fence_for(text)
  local longest = 2
  for run in text:gmatch("`+") do
    longest = math.max(longest, #run)
  end
  return ("`"):rep(longest + 1)
end

---@param out string[]
---@param text string
---@param language string
---@param limit? integer
local function fenced(out, text, language, limit)
  text = text:gsub("\n+$", "")
  local fence = fence_for(text)
  table.insert(out, fence .. language)
  local lines = M.lines(text)
  local from = 1
  if limit and #lines > limit then
    from = #lines - limit + 1
    table.insert(out, ("… %d lines above are left out"):format(from - 1))
  end
  for i = from, #lines do
    table.insert(out, lines[i])
  end
  table.insert(out, fence)
end

--- Says whether a Markdown text ends inside a code block, and how it is closed.
---@param text string
---@return string? fence
function M.open_fence(text)
  local open
  for line in vim.gsplit(text, "\n", { plain = true }) do
    local run, rest = line:match("^ ? ? ?(```+)(.*)$")
    if not run then
      run, rest = line:match("^ ? ? ?(~~~+)(.*)$")
    end
    if run then
      if not open then
        open = run
      elseif run:sub(1, 1) == open:sub(1, 1) and #run >= #open and vim.trim(rest) == "" then
        open = nil
      end
    end
  end
  return open
end

--- The text of a prompt, with what is attached named at its end.
---@param blocks drawbridge.Block[]
---@return string
function M.prompt_text(blocks)
  local texts, others = {}, {}
  for _, block in ipairs(blocks or {}) do
    if block.type == "text" then
      table.insert(texts, block.text)
    elseif block.type == "image" then
      table.insert(others, "[picture]")
    end
  end
  return vim.trim(table.concat(vim.list_extend(texts, others), "\n"))
end

---@param hunks drawbridge.Hunk[]
---@param out string[]
---@param marks drawbridge.Mark[]
local function diff_lines(hunks, out, marks)
  local body = {}
  for _, hunk in ipairs(hunks) do
    local header = hunk.header
    if hunk.state == "rejected" or hunk.state == "kept" then
      header = header .. " " .. hunk.state
    end
    table.insert(body, { header, "DrawbridgeMuted" })
    for _, side in ipairs({ { "-", hunk.oldText, "DrawbridgeDeleteLine" }, { "+", hunk.newText, "DrawbridgeAddLine" } }) do
      if side[2] ~= "" then
        for _, line in ipairs(M.lines((side[2]:gsub("\n$", "")))) do
          table.insert(body, { side[1] .. line, side[3] })
        end
      end
    end
  end
  local all = table.concat(
    vim.tbl_map(function(l)
      return l[1]
    end, body),
    "\n"
  )
  local fence = fence_for(all)
  table.insert(out, fence .. "diff")
  for _, line in ipairs(body) do
    table.insert(out, line[1])
    table.insert(marks, { line = #out - 1, group = line[2] })
  end
  table.insert(out, fence)
end

---@param args table<string, any>
---@param out string[]
---@param skip table<string, boolean>
local function argument_lines(args, out, skip)
  local names = vim.tbl_keys(args)
  table.sort(names)
  for _, name in ipairs(names) do
    local value = args[name]
    if skip[name] then
      goto continue
    end
    if type(value) == "string" and value:find("\n") then
      table.insert(out, name .. ":")
      fenced(out, value, "", max_output)
    else
      local shown = type(value) == "string" and value or vim.json.encode(value)
      table.insert(out, ("%s: %s"):format(name, M.lines(shown)[1]))
    end
    ::continue::
  end
end

---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@return drawbridge.Hunk[]?
local function hunks_of(item, c)
  for _, approval in ipairs(c.approvals) do
    if approval.callId == item.callId and approval.change then
      return approval.change.hunks
    end
  end
  local change = item.changeId and c.changes[item.changeId]
  return change and change.hunks or nil
end

---@param notice drawbridge.Notice
---@return drawbridge.Drawn
local function draw_ended(notice)
  local lines = { M.lines(notice.title)[1] }
  if notice.tail and notice.tail ~= "" then
    fenced(lines, notice.tail, "text", max_output)
  end
  return { lines = lines, folds = #lines > 1, marks = { { line = 0, group = "DrawbridgeTool" } } }
end

-- The files that a command changed.
---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@param lines string[]
---@param marks drawbridge.Mark[]
local function changed_lines(item, c, lines, marks)
  local catalogue = require("drawbridge.review.catalogue")
  for _, id in ipairs(item.changeIds or {}) do
    local change = c.changes[id]
    if change then
      table.insert(lines, M.lines("changed " .. catalogue.letter(change) .. " " .. catalogue.label(change))[1])
      table.insert(marks, { line = #lines - 1, group = "DrawbridgeHint" })
    end
  end
end

---@param remarks string[]
---@return drawbridge.Drawn
local function draw_remarks(remarks)
  local lines, marks = {}, {}
  for i, remark in ipairs(remarks) do
    for j, line in ipairs(M.lines(remark)) do
      table.insert(lines, i == 1 and j == 1 and "The model was told: " .. line or line)
      table.insert(marks, { line = #lines - 1, group = "DrawbridgeMuted" })
    end
  end
  return { lines = lines, folds = #lines > 1, marks = marks }
end

-- The title of a call; one that only repeats the tool's name gets the file that was meant.
---@param item drawbridge.Item
---@return string
local function title_of(item)
  local file = type(item.args) == "table" and (item.args.file_path or item.args.path) or nil
  local title = item.title == item.name and type(file) == "string" and item.title .. " " .. file or item.title
  return M.lines(title)[1]
end

-- What is asked about a call, but for the command or the change, which stand above.
---@param approval drawbridge.ApprovalRequestParams
---@param lines string[]
---@param marks drawbridge.Mark[]
local function question_lines(approval, lines, marks)
  local function add(text, group)
    table.insert(lines, visible.line((text:gsub("%s*\n%s*", " ⏎ "))))
    table.insert(marks, group and { line = #lines - 1, group = group } or nil)
  end
  if approval.origin then
    add(subagents.asks(approval.origin), "DrawbridgeHint")
  end
  if approval.url and approval.url ~= "" then
    add("the address: " .. approval.url, "DrawbridgeHint")
  end
  local q = approval.command
  if not q then
    return
  end
  for _, part in ipairs(reading.parts(q)) do
    add(part.text, part.group)
  end
  add("in " .. q.cwd)
  for _, fact in ipairs(running.facts(q)) do
    add(fact)
  end
end

-- Who or what decided about a call, where that was no person's plain yes or no.
---@param item drawbridge.Item
---@return string[]
local function decided_lines(item)
  local lines = {}
  local resolution = item.resolution
  local cause = resolution and resolution.cause or ""
  if resolution and cause ~= "" and resolution.outcome == "denied" then
    table.insert(lines, "denied: " .. M.lines(cause)[1])
  elseif resolution and resolution.outcome == "allowed" and resolution.by ~= "person" then
    table.insert(lines, ("allowed by a %s%s"):format(resolution.by, cause ~= "" and ": " .. M.lines(cause)[1] or ""))
  end
  if item.decision and item.decision ~= "" then
    table.insert(lines, "nobody was asked: " .. M.lines(item.decision)[1])
  end
  return lines
end

-- The command that a call would run, and the name that its tool has for it.
---@param item drawbridge.Item
---@return string? command
---@return string name
local function command_of(item)
  local args = item.access == "execute" and type(item.args) == "table" and item.args or {}
  local name = type(args.cmd) == "string" and "cmd" or "command"
  return type(args[name]) == "string" and args[name] or nil, name
end

-- What the model reads of a call. Where a subagent's own words stand above, it is
-- there to be folded out.
---@param text string
---@param told boolean
---@param drawn drawbridge.Drawn
local function text_lines(text, told, drawn)
  if told then
    table.insert(drawn.lines, "  what the model reads")
    drawn.inner[#drawn.lines] = "first"
    table.insert(drawn.marks, { line = #drawn.lines - 1, group = "DrawbridgeMuted" })
  end
  local first = #drawn.lines + 1
  fenced(drawn.lines, text, "text", max_output)
  for i = first, told and #drawn.lines or 0 do
    drawn.inner[i] = "more"
  end
end

---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@return drawbridge.Drawn
local function draw_call(item, c)
  local lines, marks = { title_of(item) }, { { line = 0, group = "DrawbridgeTool" } }
  local drawn = { lines = lines, folds = true, marks = marks, inner = {}, within = {} }
  local hunks = hunks_of(item, c)
  local command, name = command_of(item)
  if hunks and #hunks > 0 then
    diff_lines(hunks, lines, marks)
  elseif command then
    if item.changed then
      table.insert(lines, "you changed the command; the model had asked for:")
      table.insert(marks, { line = #lines - 1, group = "DrawbridgeHint" })
    end
    if command ~= item.title then
      fenced(lines, command, "sh")
    end
    argument_lines(item.args, lines, { [name] = true })
  elseif type(item.args) == "table" then
    local said = item.args.description
    argument_lines(item.args, lines, { description = type(said) == "string" and item.title:find(said, 1, true) ~= nil })
  end
  for _, approval in ipairs(c.approvals) do
    if approval.callId == item.callId then
      question_lines(approval, lines, marks)
    end
  end
  changed_lines(item, c, lines, marks)
  local terminal = item.terminalId and c.terminals[item.terminalId]
  for _, survivor in ipairs(running.survivors(terminal and terminal.survivors)) do
    table.insert(lines, visible.line(survivor))
  end
  local told = nested.add(item, c, drawn)
  if item.text ~= "" and not (told and item.status == "running") then
    text_lines(item.text, told, drawn)
  elseif terminal and terminal.tail and terminal.tail ~= "" then
    fenced(lines, terminal.tail, "text", max_output)
  end
  for _, line in ipairs(vim.list_extend(pictures.lines(item), decided_lines(item))) do
    table.insert(lines, line)
    table.insert(marks, { line = #lines - 1, group = "DrawbridgeHint" })
  end
  drawn.folds = #lines > 1
  return drawn
end

--- How a turn that did not simply end is spoken of.
---@type table<drawbridge.StopReason, string>
local endings = {
  maxTokens = "The answer was cut: it reached the model's limit",
  maxSteps = "Stopped at the turn's limit",
  refusal = "The model's service declined to answer",
  cancelled = "Stopped",
  interrupted = "Interrupted",
  error = "Failed",
}

---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@return drawbridge.Drawn
local function draw_end(item, c)
  local lines, marks = {}, {}
  local ending = endings[item.stopReason]
  if ending then
    local failed = item.stopReason ~= "cancelled"
    local cause = item.cause and item.cause ~= "" and (": " .. M.lines(item.cause)[1]) or ""
    table.insert(lines, ending .. cause)
    table.insert(marks, { line = 0, group = failed and "DrawbridgeError" or "DrawbridgeMuted" })
    local help = words.help(item.hint)
    if help then
      table.insert(lines, "→ " .. M.lines(help)[1])
      table.insert(marks, { line = 1, group = "DrawbridgeHint" })
    end
  end
  if item.returned and #item.returned > 0 then
    table.insert(lines, "The model did not read: " .. M.lines(M.prompt_text(item.returned))[1])
    table.insert(marks, { line = #lines - 1, group = "DrawbridgeHint" })
  end
  if not c.origin and state.continuable(c) == item.turnId then
    table.insert(lines, "→ :Drawbridge continue takes it up, :Drawbridge resend edits the prompt")
    table.insert(marks, { line = #lines - 1, group = "DrawbridgeHint" })
  end
  return { lines = lines, folds = false, marks = marks }
end

---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@return drawbridge.Drawn
function M.draw(item, c)
  if item.kind == "prompt" or item.kind == "steer" then
    local text = M.prompt_text(item.blocks)
    local lines = M.lines(text)
    local marks = {}
    local group = item.kind == "prompt" and "DrawbridgePrompt" or "DrawbridgeSteer"
    for i = 1, #lines do
      table.insert(marks, { line = i - 1, group = group })
    end
    local fence = M.open_fence(text)
    if fence then
      table.insert(lines, fence)
    end
    return { lines = lines, folds = false, marks = marks }
  elseif item.kind == "thought" then
    local lines = vim.list_extend({ "Thinking" }, M.lines(vim.trim(reduce.text(item))))
    return { lines = lines, folds = true, marks = { { line = 0, group = "DrawbridgeThought" } } }
  elseif item.kind == "call" then
    return draw_call(item, c)
  elseif item.kind == "end" then
    return draw_end(item, c)
  elseif item.kind == "continued" then
    return { lines = { "Continued" }, folds = false, marks = { { line = 0, group = "DrawbridgeMuted" } } }
  elseif item.kind == "ended" then
    return draw_ended(item.notice)
  elseif item.kind == "remarks" then
    return draw_remarks(item.remarks)
  elseif item.kind == "notice" then
    return { lines = M.lines(item.text), folds = false, marks = { { line = 0, group = "DrawbridgeMuted" } } }
  end
  return { lines = M.lines((reduce.text(item):gsub("^\n+", ""))), folds = false, marks = {} }
end

--- The sign that goes with each colour: a long title hides the words, not this.
---@type table<string, string>
local signs = {
  DrawbridgeRunning = "▸ ",
  DrawbridgeWaiting = "? ",
  DrawbridgeDone = "✓ ",
  DrawbridgeFailed = "✗ ",
  DrawbridgeDenied = "✗ ",
}

--- Why a call was denied, in a few words behind it; all of it stands in the call.
--- A person's own words are in what the model reads.
---@param item drawbridge.Item
---@return string
local function denied(item)
  local resolution = item.resolution
  if not resolution or resolution.outcome ~= "denied" then
    -- Nobody was asked: what decided is said by the call itself, or it was cut short.
    local why = item.decision or item.text:match("^Tool call denied[^\n]*\n([^\n]+)")
    why = why and M.lines(why)[1]:gsub("^[Dd]enied[ :]+", "")
    return why and why ~= "" and "denied " .. M.cut(why, 30) or "stopped"
  end
  local by = resolution.by ~= "person" and (" by a " .. resolution.by) or ""
  local why = resolution.cause or item.text:match('by the user: "(.+)"%s*$') or ""
  return "denied" .. by .. (why ~= "" and ": " .. M.cut(M.lines(why)[1], 30) or "")
end

---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@return string text
---@return string group
---@return string? why
local function call_state(item, c)
  local took = (item.durationMs or 0) >= 50 and (" " .. M.duration(item.durationMs)) or ""
  local text, group = nested.state(item, c)
  if text and group then
    return text, group
  elseif item.status == "running" then
    for _, approval in ipairs(c.approvals) do
      if approval.callId == item.callId then
        return "waiting for you", "DrawbridgeWaiting"
      end
    end
    local shown = item.terminalId and c.terminals[item.terminalId]
    if (c.state.state == "input" and c.state.callId == item.callId) or (shown and shown.waiting) then
      return "waits for typing", "DrawbridgeWaiting"
    end
    local since = item.startedAt and (" " .. M.duration(vim.uv.hrtime() / 1e6 - item.startedAt)) or ""
    return "running" .. since, "DrawbridgeRunning"
  elseif item.status == "aborted" then
    return denied(item), "DrawbridgeDenied"
  end
  local terminal = item.terminalId and c.terminals[item.terminalId]
  local now = terminal and not terminal.closed and running.now(terminal)
  if now then
    return now, terminal.waiting and "DrawbridgeWaiting" or "DrawbridgeRunning"
  end
  local exit = terminal and terminal.exit
  if exit and (exit.signal or (exit.code or 0) ~= 0) then
    return (exit.signal or ("exit " .. exit.code)) .. took, "DrawbridgeFailed"
  elseif item.status == "failed" then
    return "failed" .. took, "DrawbridgeFailed", vim.trim(M.lines(vim.trim(item.text))[1])
  end
  local change = item.changeId and c.changes[item.changeId]
  if change and (change.edited or change.state ~= "applied") then
    local stands = change.state == "partly" or change.state == "applied"
    return words.change(change) .. took, stands and "DrawbridgeDone" or "DrawbridgeDenied"
  end
  return "done" .. took, "DrawbridgeDone"
end

--- What stands behind an item's first line, as virtual text.
---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@return string[][]?
function M.annotation(item, c)
  if item.kind == "call" then
    local text, group, why = call_state(item, c)
    local changed = item.changed and ", changed by you" or ""
    if why and why ~= "" then
      return { { text .. changed, group }, { ": " .. why, group } }
    elseif item.decision and item.decision ~= "" and item.status ~= "aborted" then
      return { { text .. changed, group }, { "  " .. M.lines(item.decision)[1], "DrawbridgeMuted" } }
    end
    return { { text .. changed, group } }
  elseif item.kind == "ended" then
    local group = item.notice.ok and "DrawbridgeDone" or "DrawbridgeFailed"
    local what = item.notice.subagentId and "subagent, " or "ended, "
    return { { what .. item.notice.detail, group } }
  elseif item.kind == "thought" and (item.startedAt or item.durationMs) then
    local ms = item.durationMs or (vim.uv.hrtime() / 1e6 - item.startedAt)
    return ms >= 50 and { { M.duration(ms), "DrawbridgeMuted" } } or nil
  elseif item.kind == "steer" and item.pending then
    return { { "not read yet", "DrawbridgeWaiting" } }
  end
end

---@type table<string, string[]>
local prefixes = {
  prompt = { "❯ ", "DrawbridgePromptMark" },
  steer = { "❯ ", "DrawbridgeSteer" },
  thought = { "∙ ", "DrawbridgeMuted" },
  continued = { "↻ ", "DrawbridgeMuted" },
  ended = { "▪ ", "DrawbridgeMuted" },
  remarks = { "∙ ", "DrawbridgeMuted" },
}

--- What stands before an item's first line, as virtual text.
---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@return string[]?
function M.prefix(item, c)
  if item.kind == "call" then
    local _, group = call_state(item, c)
    return { signs[group], group }
  end
  return prefixes[item.kind]
end

---@param text string
---@param cells integer
---@return string
function M.cut(text, cells)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local out = vim.fn.strcharpart(text, 0, math.max(1, cells - 1))
  while vim.fn.strdisplaywidth(out) > math.max(1, cells - 1) do
    out = vim.fn.strcharpart(out, 0, vim.fn.strchars(out) - 1)
  end
  return out .. "…"
end

--- An item whose fold is closed, in one line of a window.
---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@param title string
---@param cells integer
---@return string[][]
function M.fold_text(item, c, title, cells)
  local chunks = {}
  local prefix = M.prefix(item, c)
  local behind = M.annotation(item, c) or {}
  local room = cells - 4
  -- A long reason gives way, not what it is about.
  if behind[2] then
    local most = math.max(12, room - vim.fn.strdisplaywidth(title .. behind[1][1]))
    behind[2] = { M.cut(behind[2][1], most), behind[2][2] }
  end
  for _, chunk in ipairs(behind) do
    room = room - vim.fn.strdisplaywidth(chunk[1])
  end
  if prefix then
    table.insert(chunks, prefix)
  end
  local group = item.kind == "thought" and "DrawbridgeThought" or "DrawbridgeTool"
  table.insert(chunks, { M.cut(title, math.max(8, room)), group })
  table.insert(chunks, { "  ", group })
  return vim.list_extend(chunks, behind)
end

return M
