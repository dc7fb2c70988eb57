"""What the startd makes of types of slots: asked of 25.14.1, which logs what it cannot make."""

from __future__ import annotations

from tests.cases import every_case
from tests.policy.test_lint import found


def told(text: str) -> list[tuple[str | None, int | None]]:
    """The findings about types that need more than there is, or what there is not."""
    return [(one.id, one.line) for one in found(text) if one.id in ("P242", "P243")]


@every_case(
    "cpus, share, many, made",
    [
        *((16, "1/3", 3, 2), (8, "1/3", 3, 3), (6, "1/3", 3, 3), (64, "1/3", 3, 2)),
        *((8, "1/5", 5, 4), (10, "1/5", 5, 5), (10, "1/7", 7, 5), (20, "1/7", 7, 7)),
        *((8, "cpus=20%", 5, 4), (16, "cpus=33%", 3, 2), (24, "cpus=33%", 3, 3)),
        *((15, "cpus=10%", 10, 8), (16, "cpus=12.5%", 8, 8), (10, "cpus=12.5%", 8, 5)),
    ],
)
def test_the_rest_of_a_cpu_of_which_a_slot_takes_a_part_is_lost(
    cpus: int, share: str, many: int, made: int
) -> None:
    text = f"NUM_CPUS = {cpus}\nSLOT_TYPE_1 = {share}\nNUM_SLOTS_TYPE_1 = {{}}\n"
    assert told(text.format(made)) == []
    assert bool(told(text.format(many))) is (made < many)


def test_types_take_their_shares_in_the_order_of_their_numbers() -> None:
    """Whatever the order of the lines: 10 CPUs without 4 have one third of 10, and not two."""
    late = "SLOT_TYPE_2 = cpus=1/3\nNUM_SLOTS_TYPE_2 = 2\n"
    early = "SLOT_TYPE_1 = cpus=4\nNUM_SLOTS_TYPE_1 = 1\n"
    assert told(f"NUM_CPUS = 10\n{late}{early}") == [("P243", 2)]
    assert told(f"NUM_CPUS = 10\n{early}{late}") == [("P243", 4)]


@every_case("between", [", ", " "])
def test_every_share_of_a_type_counts_with_commas_and_without(between: str) -> None:
    text = f"MEMORY = 10001\nSLOT_TYPE_1 = cpus=1{between}mem=4096\nNUM_SLOTS_TYPE_1 = {{}}\n"
    assert told(text.format(2)) == []
    assert told(text.format(3)) == [("P243", 2)]


@every_case("resource", ["mem", "swap", "disk"])
def test_a_type_without_a_share_needs_what_the_others_leave(resource: str) -> None:
    """Named shares go first, also those of later types."""
    for rest in ("cpus=1", f"cpus=1, {resource}=auto"):
        text = f"SLOT_TYPE_1 = {rest}\nNUM_SLOTS_TYPE_1 = 1\n"
        text += f"SLOT_TYPE_2 = cpus=1, {resource}={{}}\nNUM_SLOTS_TYPE_2 = 1\n"
        assert told(text.format("100%")) == [("P243", 1)]
        assert told(text.format("90%")) == []
        assert told(text.format("100%").replace("TYPE_1 = 1", "TYPE_1 = 0")) == []


@every_case("number", ["1", "1.5", "2G", "100"])
def test_no_slot_is_made_that_takes_a_number_of_what_there_is_not(number: str) -> None:
    text = f"NUM_CPUS = 8\nSLOT_TYPE_1 = cpus=8, licence={number}\nNUM_SLOTS_TYPE_1 = 1\n"
    [one] = [one for one in found(text) if one.id == "P242"]
    assert one.help == "the startd makes no slot of this type"
    # What it would take is left to the others.
    assert told(f"{text}SLOT_TYPE_2 = cpus=8\nNUM_SLOTS_TYPE_2 = 1\n") == [("P242", 2)]
    declared = f"MACHINE_RESOURCE_licence = 5000\n{text}"
    assert told(f"{declared}SLOT_TYPE_2 = cpus=8\nNUM_SLOTS_TYPE_2 = 1\n") == [("P243", 5)]


@every_case("part", ["auto", "50%", "1/2", "share", "0"])
def test_a_part_of_what_there_is_not_is_passed_over(part: str) -> None:
    text = f"SLOT_TYPE_1 = cpus=25%, licence={part}\nNUM_SLOTS_TYPE_1 = 3\n"
    [one] = [one for one in found(text) if one.id in ("P242", "P243")]
    assert (one.id, one.help) == ("P242", "the slots are made without it")


def test_num_slots_counts_where_no_type_has_slots() -> None:
    """25.14.1 makes four partitionable slots of the first text, and three static ones of the
    second."""
    for many, unread in ((0, []), (3, ["NUM_SLOTS"])):
        text = f"SLOT_TYPE_1 = cpus=1\nNUM_SLOTS_TYPE_1 = {many}\nNUM_SLOTS = 4\n"
        said = [one.message for one in found(text) if one.id == "P241"]
        assert [name for name in ("NUM_SLOTS",) if f"{name} has no effect" in said] == unread
