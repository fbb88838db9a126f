-- What people and their Neovim do with buffers, keys and screens while questions
-- come: nothing is answered by it that was not meant, and nothing breaks.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local reviewing = require("reviewing")

local equal, holds = cases.equal, cases.holds
local call, start, waits = reviewing.call, reviewing.start, reviewing.waits

local plugin = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h")

local conversation = [[(function()
  local b = require("drawbridge.conversation").buffer()
  return b and table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), "\n") or ""
end)()]]

local function in_draft(child)
  child:wait("the draft is shown", [[vim.api.nvim_buf_get_name(0):find("drawbridge://edit/g1", 1, true) ~= nil]])
end

local function edit(child)
  child:ex("Drawbridge edit")
  in_draft(child)
  equal("ONE", child:lines()[1])
end

local function says_over_input(child)
  local mode = vim.rpcrequest(child.job, "nvim_get_mode")
  return mode.blocking or mode.mode == "c"
end

-- Keeps what vim.ui.input was asked, to be answered when the test wants it.
local keeping = [[
  inputs, asked = {}, {}
  vim.ui.input = function(opts, cb) table.insert(inputs, cb) end
  vim.ui.select = function(items, opts, cb)
    local labels = vim.tbl_map(opts.format_item or tostring, items)
    table.insert(asked, { labels = labels, cb = cb, items = items })
  end
  function choose(part)
    local select = asked[#asked]
    for i, label in ipairs(select.labels) do
      if label:find(part, 1, true) then return select.cb(select.items[i], i) end
    end
    error("no choice has " .. part .. ": " .. vim.inspect(select.labels))
  end
]]

-- The bridge ends and another one asks about the same command.
local function another_bridge(child)
  child:lua([[
    local client = require("drawbridge.client")
    before = require("drawbridge.approvals").pending()[1]
    client.restart()
  ]])
  child:wait("the question went with its bridge", "#require('drawbridge.approvals').pending() == 0")
  child:wait("another is there", "require('drawbridge.client').is_ready()")
  child:wait("the session is there again", [[require("drawbridge.client").session() == before.sessionId]])
  child:prompt("again")
  child:wait("it asks", "#require('drawbridge.approvals').pending() == 1")
end

local function asks_in_conversation(auto, more)
  local child = child_of.start({
    before = more or "",
    options = { approvals = { auto = auto } },
    script = 'call c1 exec_command {"cmd":"touch made"}\n----\ntext "Done."\n',
  })
  child:ex("Drawbridge open")
  child:keys("<Esc><C-w>k")
  child:wait("the cursor is in the conversation", [[vim.bo.filetype == "drawbridge"]])
  return child
end

cases.run({
  {
    "a deleted draft is gone: edited again it has the proposal, and that is what is accepted",
    function()
      local child = start({})
      waits(child, 3)
      for _, how in ipairs({ "bdelete!", "%bdelete!", "bwipeout!" }) do
        edit(child)
        child:keys("ggdG")
        child:ex(how)
        child:hears("nothing was decided")
        child:ex("messages clear")
      end
      edit(child)
      child:ex("Drawbridge accept")
      child:ended()
      equal(reviewing.three_hunks, child:file("a.txt"))
    end,
  },
  {
    "a deleted draft shown again by its number is no draft, and accepts nothing",
    function()
      local child = start({})
      waits(child, 3)
      edit(child)
      child:lua("draft = vim.api.nvim_get_current_buf()")
      child:lua([[vim.cmd("bdelete! | buffer " .. draft .. " | Drawbridge accept")]])
      child:wait("the buffer goes", "not vim.api.nvim_buf_is_valid(draft)")
      waits(child, 3)
      equal(reviewing.nine, child:file("a.txt"))
      edit(child)
    end,
  },
  {
    "a draft that is read in again has the proposal, and undo does not empty it",
    function()
      local child = start({})
      waits(child, 3)
      edit(child)
      child:keys("uuu")
      child:wait("undone", "true")
      child:keys("Gofresh<Esc>")
      child:wait("it is typed", [[vim.fn.getline("$") == "fresh"]])
      equal("ONE", child:lines()[1])
      child:ex("edit!")
      child:wait("it is as proposed", [[vim.fn.getline("$") == "ten"]])
      equal("ONE", child:lines()[1])
      child:keys("uuuuGolast<Esc>")
      child:wait("it is typed", [[vim.fn.getline("$") == "last"]])
      child:ex("Drawbridge accept")
      child:ended()
      local lines = child:lines("/a.txt")
      equal({ "ONE", "last" }, { lines[1], lines[#lines] })
    end,
  },
  {
    "what is typed to one question is never the answer to a later one of the same command",
    function()
      local child = child_of.start({
        before = keeping,
        script = 'call c1 exec_command {"cmd":"touch made"}\n----\ntext "Done."\n',
      })
      child:prompt("go")
      child:wait("it asks", "#require('drawbridge.approvals').pending() == 1")
      for i, what in ipairs({ "Edit the command", "Deny with a reason" }) do
        child:ex("Drawbridge approvals")
        child:wait("the choice is shown", "#asked == " .. i)
        child:lua("choose(...)", what)
        child:wait("it can be typed", "#inputs == " .. i)
      end
      another_bridge(child)
      child:lua([[inputs[1]("touch typed")]])
      child:lua([[inputs[2]("no")]])
      child:hears("no longer stands")
      equal(1, child:lua("return #require('drawbridge.approvals').pending()"))
      holds(not child:file("typed") and not child:file("made"), "nothing ran")
    end,
  },
  {
    "with approvals.auto a motion that is being typed answers nothing",
    function()
      local child = asks_in_conversation(true, "vim.o.updatetime = 20")
      child:prompt("go")
      child:wait("it asks", "#require('drawbridge.approvals').pending() == 1")
      child:stops_clock() -- to this person no key is long ago
      for _ = 1, 60 do
        child:keys("2")
        vim.wait(40)
        child:keys("<CR>")
        vim.wait(15)
      end
      holds(not says_over_input(child), "nothing has opened")
      -- A count that was begun and left is no rest; one that comes just after the
      -- choice has opened was not meant for it.
      child:lua([[
        local select = vim.ui.select
        vim.ui.select = function(...)
          offered = true
          vim.api.nvim_input("2<CR>")
          return select(...)
        end
        vim.on_key(function(_, typed)
          if typed == "2" then
            vim.uv.hrtime = hrtime -- from here on time passes
          elseif typed == "\27" then
            early = offered
          end
        end)
      ]])
      child:keys("2")
      vim.wait(1500)
      child:keys("<Esc>")
      child:wait("at rest it is offered", "offered")
      holds(child:lua("return not early"), "nothing opens behind a count")
      child:keys("1<CR>2<CR>")
      child:hears("nothing was answered")
      equal(1, child:lua("return #require('drawbridge.approvals').pending()"))
      holds(not child:file("made"), "nothing ran")
    end,
  },
  {
    "with approvals.auto at rest, what is offered first neither allows nor denies",
    function()
      local child = asks_in_conversation(true, keeping)
      child:prompt("go")
      child:wait("it is offered", "#asked == 1")
      equal({ "Decide later", "Answer…" }, child:lua("return asked[1].labels"))
      child:lua([[choose("Answer")]])
      child:wait("all is offered", "#asked == 2")
      child:lua([[choose("Allow")]])
      child:ended()
      equal("", child:file("made"))
    end,
  },
  {
    "accepting all takes nothing that came while it was typed",
    function()
      local child = start({
        before = [[
          require("drawbridge.wiring")
          local changes = require("drawbridge.review.changes")
          changes.watch(function(review, gone)
            if not gone and not raced then
              raced = true
              require("drawbridge.review").accept_all()
              require("drawbridge.review").accept_file()
            end
          end)
        ]],
      })
      waits(child, 3)
      holds(child:lua("return raced"), "it was accepted at once")
      child:hears("came just now")
      vim.wait(200)
      equal(reviewing.nine, child:file("a.txt"))
      reviewing.read(child)
      child:ex("Drawbridge acceptall")
      child:ended()
      equal("ONE", child:lines()[1])
    end,
  },
  {
    "a command does not set the clipboard, in whatever pieces it is told to",
    function()
      local child = child_of.start({
        before = [[
          copied = {}
          local function copy(lines) table.insert(copied, lines) end
          local function paste() return { { "" }, "v" } end
          vim.g.clipboard = { name = "test", copy = { ["+"] = copy, ["*"] = copy }, paste = { ["+"] = paste, ["*"] = paste } }
        ]],
        options = { mode = "auto" },
        script = call("c1", "exec_command", {
          cmd = [[printf 'a\033]52;c;aGVsbG8=\007b'; printf '\033]0'; sleep 0.2; printf '52;c;aGVs'; sleep 0.2; printf 'bG8=\033'; sleep 0.2; printf '\\c\033]0;title\007\033[31md\033[0m\n']],
        }) .. '----\ntext "Done."\n',
      })
      child:prompt("go")
      child:wait("it asks or runs", [[ended or #require('drawbridge.approvals').pending() == 1]])
      child:lua([[for _, q in ipairs(require("drawbridge.approvals").pending()) do
        require("drawbridge.approvals").choose(q.approvalId, "allow")
      end]])
      child:ended()
      child:ex("Drawbridge terminals")
      child:sees("abcd")
      equal({}, child:lua("return copied"))
    end,
  },
  {
    "the filter of the clipboard cuts out nothing else, wherever the pieces end",
    function()
      vim.opt.rtp:prepend(plugin)
      local clipboard = require("drawbridge.terminals.clipboard")
      local text = "a\27]52;c;eA==\7b\27]052;c;eA==\27\\c\27[1md\27]8;;http://x\27\\e\27]0;t\7f\27]5;2\7g"
        .. "\27\0]5\n2;c;x\7h\27]4294967348;c;x\7i\27]52;c;x\24j\27]52;c;x\27[mk\27\27]52;x\7l"
      local want = "abc\27[1md\27]8;;http://x\27\\e\27]0;t\7f\27]5;2\7g\0\nhi" .. "j\27[mkl"
      equal(want, clipboard.filter()(text))
      for cut = 1, #text - 1 do
        local filter = clipboard.filter()
        equal(want, filter(text:sub(1, cut)) .. filter(text:sub(cut + 1)), "cut at " .. cut)
      end
      local filter, bytes = clipboard.filter(), {}
      for i = 1, #text do
        bytes[i] = filter(text:sub(i, i))
      end
      equal(want, table.concat(bytes))
    end,
  },
  {
    "prompt and conversation outlive being deleted, and what was typed with them",
    function()
      local child = child_of.start({ script = 'text "hello there"\n' })
      for i, how in ipairs({ "bdelete", "%bdelete!", "bwipeout!" }) do
        child:ex("Drawbridge open")
        child:wait("the prompt is shown", [[vim.bo.filetype == "drawbridge-prompt"]])
        child:keys("<Esc>ggdGiword " .. i .. "<Esc>")
        child:wait("it is typed", ([[vim.fn.getline(1) == "word %d"]]):format(i))
        child:ex(how)
        child:wait("it is gone", [[require("drawbridge.prompt").buffer() == nil]])
        child:ex("Drawbridge open")
        child:wait("it is back", ([[vim.bo.filetype == "drawbridge-prompt" and vim.fn.getline(1) == "word %d"]]):format(i))
        child:keys("<Esc>")
        child:ex("edit!")
        child:wait("it stays", ([[vim.fn.getline(1) == "word %d"]]):format(i))
      end
      child:keys("<Esc><CR>")
      child:wait("it is sent and answered", conversation .. [[:find("hello there", 1, true)]])
      for _, how in ipairs({ "bdelete", "edit!", "%bdelete!" }) do
        child:ex("Drawbridge open")
        child:keys("<Esc>")
        child:lua([[vim.api.nvim_set_current_win(vim.fn.win_findbuf(require("drawbridge.conversation").buffer())[1])]])
        child:ex(how)
        child:ex("Drawbridge open")
        child:wait("all is there again", conversation .. [[:find("word 3.*hello there")]])
        equal("nofile", child:lua([[return vim.bo[require("drawbridge.conversation").buffer()].buftype]]))
        holds(not child:lua([[return vim.bo[require("drawbridge.conversation").buffer()].modifiable]]), "nobody writes in it")
      end
      equal("", child:lua("return vim.v.errmsg"))
    end,
  },
  {
    "the windows of a session file are taken over",
    function()
      local child = child_of.start({ files = { ["a.txt"] = "one\n" } })
      child:ex("edit a.txt")
      child:ex("Drawbridge open")
      child:wait("the prompt is shown", [[vim.bo.filetype == "drawbridge-prompt"]])
      child:ex("mksession! " .. child.home .. "/session.vim")
      child:ex("let g:made = 1")
      child:wait("it is made", "vim.g.made == 1")
      child:stop()
      child = child_of.start({ same = child })
      child:ex("source " .. child.home .. "/session.vim")
      child:ex("Drawbridge open")
      child:wait("the prompt is shown", [[vim.bo.filetype == "drawbridge-prompt"]])
      child:keys("<Esc>ihello you<Esc><CR>")
      child:wait("it is sent and answered", conversation .. [[:find("hello you.*hello")]])
      equal(3, child:lua("return #vim.api.nvim_tabpage_list_wins(0)"), "file, conversation, prompt")
    end,
  },
  {
    "thousands of hunks that are lost do not stop the editor",
    function()
      vim.opt.rtp:prepend(plugin)
      local place = require("drawbridge.review.place")
      local lines = {}
      for i = 1, 20000 do
        lines[i] = i % 3 == 0 and "a" or i % 3 == 1 and "b" or "line " .. i
      end
      local function find(text, line)
        return (place.of({ newText = text, newRange = { start = { line = line } } }, true, lines))
      end
      equal(4, find("line 5\na\n", 15000))
      equal(14999, find("a\nb\n", 14999), "of equal lines the nearest")
      equal(14999, find("a\nb\n", 15000), "of equal lines the nearest")
      equal(2, find("a\nb\n", 0), "of equal lines the nearest")
      -- Steps are counted, not seconds.
      local steps = 0
      jit.off()
      jit.flush()
      debug.sethook(function()
        steps = steps + 1
        assert(steps < 50000, "this takes too many steps")
      end, "", 1000)
      local ok, err = pcall(function()
        for i = 1, 2500 do
          assert(not find("line " .. i .. " is another\n", i * 8))
          assert(not find("b\na\n", i * 8))
        end
      end)
      debug.sethook()
      jit.on()
      assert(ok, err)
    end,
  },
  {
    "on a narrow screen a message asks for no key",
    function()
      local child = child_of.start({
        script = 'call c1 exec_command {"cmd":"touch 漢字漢字漢字漢字漢字漢字漢字漢字"}\n----\ntext "Done."\n',
      })
      for _, columns in ipairs({ 33, 24, 13 }) do
        child:lua("vim.o.columns = ...", columns)
        child:lua([[require("drawbridge.say").warn("漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字 and more of it, and more")]])
        vim.wait(50)
        holds(not child:blocks(), "it asks for no key in " .. columns .. " columns")
      end
      child:lua("vim.o.columns = 26")
      child:prompt("go")
      child:wait("it asks", "#require('drawbridge.approvals').pending() == 1")
      vim.wait(50)
      holds(not child:blocks(), "a question asks for no key")
    end,
  },
  {
    "a report is made where the program is missing",
    function()
      local child = child_of.start({ options = { cmd = { "/nowhere/drawbridge", "serve" } } })
      child:ex("Drawbridge report")
      child:wait("the report is shown", [[vim.bo.filetype == "markdown"]])
      local text = table.concat(child:lines(), "\n")
      holds(text:find("## Neovim", 1, true) and text:find("none (/nowhere/drawbridge cannot be run)", 1, true), text)
    end,
  },
  {
    "a report is made where the program breaks, with all that it said",
    function()
      local child = child_of.start({})
      local broken = child.home .. "/broken"
      vim.fn.writefile({ "#!/bin/sh", "echo panic >&2; echo goroutine 1 >&2; exit 2" }, broken)
      vim.uv.fs_chmod(broken, 493)
      child:lua("local o = vim.g.drawbridge o.cmd = { ... } vim.g.drawbridge = o", broken)
      child:ex("Drawbridge report")
      child:wait("the report is shown", [[vim.bo.filetype == "markdown"]])
      local text = table.concat(child:lines(), "\n")
      holds(text:find("## Neovim", 1, true) and text:find("failed: panic\ngoroutine 1", 1, true), text)
    end,
  },
  {
    "lines that are none name the file",
    function()
      local child = child_of.start({ files = { ["a.txt"] = "one\ntwo\n" } })
      local function block(mention)
        local found = child:lua([[return require("drawbridge.mentions").blocks(...)]], mention)
        equal(1, #found, mention)
        return { found[1].type, found[1].text, found[1].range and found[1].range.start.line }
      end
      for _, mention in ipairs({ "@a.txt:0", "@a.txt:0-0", "@a.txt:2-1", "@a.txt:9-12", "@a.txt:99999999999999999999" }) do
        equal({ "resourceLink" }, block(mention), mention)
      end
      equal({ "selection", "one\n", 0 }, block("@a.txt:0-1"))
      equal({ "selection", "two\n", 1 }, block("@a.txt:2-99999999999999999999"))
      child:ex("edit a.txt")
      equal({ "selection", "one\ntwo\n", 0 }, block("@a.txt:0-3"))
      child:ex("Drawbridge prompt look at @a.txt:0-3")
      child:wait("it is answered", conversation .. [[:find("hello", 1, true)]])
    end,
  },
})
