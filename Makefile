# Two commands do everything on a fresh machine; the others are for who wants more.
#   make run    set up what is missing, build, measure an overview
#   make test   set up what is missing, build, all checks and tests
#   make providers
#               build other people's libraries, which cpb then measures, too
#   make fuzz   set up what is missing, fuzz each target for a minute
#   make miri   set up what is missing, look for undefined behaviour in the kernels
#   make packages
#               set up what is missing, build .deb, .rpm and archives: target/packages

.PHONY: run test providers fuzz miri packages \
  setup-run setup-providers setup-test setup-fuzz setup-miri setup-package

run: setup-run
	script/build
	$${CARGO_TARGET_DIR:-target}/quick/cpb run --max-time 20

providers: setup-providers
	script/providers

test: setup-test
	script/test

fuzz: setup-fuzz
	script/fuzz

miri: setup-miri
	script/miri

packages: setup-package
	script/package

setup-run:
	script/setup run

setup-providers:
	script/setup providers

setup-test:
	script/setup test

setup-fuzz:
	script/setup fuzz

setup-miri:
	script/setup miri

setup-package:
	script/setup package
