# Two commands do everything on a fresh machine; the third is for who wants more.
#   make run    set up what is missing, build, measure an overview
#   make test   set up what is missing, build, all checks and tests
#   make providers
#               build other people's Rust libraries, which cpb then measures, too

.PHONY: run test providers setup-run setup-test

run: setup-run
	@echo 'compiling cpb: some minutes the first time' >&2
	script/cargo build --profile quick --quiet
	$${CARGO_TARGET_DIR:-target}/quick/cpb run --max-time 20

providers: setup-run
	script/providers

test: setup-test
	script/test

setup-run:
	script/setup run

setup-test:
	script/setup test
