"""harbor.codec.model: what instances and classes can do; the tables were recorded from pydantic 2.14.4."""

# Calls that a type checker refuses are among what is tested here.
# mypy: disable-error-code="call-arg,arg-type"

import copy
import dataclasses
import inspect
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, ClassVar, Dict, List, Optional, Tuple

import pytest

from harbor.codec import Field, FieldInfo, Model, TypeAdapter, ValidationError, computed_field
from outcomes import Raised, Refused, Warned, assert_same, observe, rows, unexpected


class Point(Model):
    x: int
    y: Optional[List[int]] = None


class Open(Model, extra="allow"):
    x: int = 0


class Closed(Model, extra="forbid"):
    x: int = 0


class SubPoint(Point):
    z: str = Field("z", description="The last.")


class Frozen(Model, frozen=True):
    x: int = 0


class Nested(Model):
    point: Point = Point(x=1)
    any: Any = None


class Noted(Model):
    """A note."""

    a: int = Field(..., description="First.", ge=0)
    b: List[int] = Field(default_factory=list)

    @computed_field
    def double(self) -> int:
        return self.a * 2

    def method(self) -> str:
        return "called"

    @property
    def plain(self) -> int:
        return 7


class Empty(Model):
    pass


def assign(made: Any, name: str, value: Any) -> Any:
    setattr(made, name, value)
    return made


def delete(made: Any, name: str) -> Any:
    delattr(made, name)
    return vars(made), made.model_extra


# id, call, outcome
CALLS: List[Tuple[str, Callable[[], Any], Any]] = [
    ("init", lambda: Point(x="1"), Point(x=1)),
    ("init without a field", lambda: Point(), Refused(("missing", ("x",), {}, "Field required"))),
    ("init with two faults", lambda: Point(y=1), Refused(("missing", ("x",), {"y": 1}, "Field required"),
     ("list_type", ("y",), 1, "Input should be a valid list"))),
    ("init ignores", lambda: Point(x=1, more=2), Point(x=1)),
    ("init allows", lambda: Open(x=1, more=2), Open(x=1, more=2)),
    ("init forbids", lambda: Closed(x=1, more=2),
     Refused(("extra_forbidden", ("more",), 2, "Extra inputs are not permitted"))),
    ("init with a field named self", lambda: Open(**{"self": 1}), Open(self=1)),
    ("construct", lambda: vars(Point.model_construct(x="a")), {"x": "a", "y": None}),
    ("construct without a field", lambda: vars(Point.model_construct()), {"y": None}),
    ("construct with names set", lambda: Point.model_construct({"y"}, x=1).model_fields_set, {"y"}),
    ("construct ignores", lambda: vars(Point.model_construct(x=1, more=2)), {"x": 1, "y": None}),
    ("construct allows", lambda: Open.model_construct(more=2).model_extra, {"more": 2}),
    ("construct names set", lambda: Open.model_construct(x=1, more=2).model_fields_set, {"x"}),
    ("construct by factory", lambda: vars(Noted.model_construct()), {"b": []}),
    ("repr", lambda: repr(Point(x=1, y=[2])), "Point(x=1, y=[2])"),
    ("repr with extra", lambda: repr(Open(more="a")), "Open(x=0, more='a')"),
    ("repr with computed", lambda: repr(Noted(a=1)), "Noted(a=1, b=[], double=2)"),
    ("repr nested", lambda: repr(Nested()), "Nested(point=Point(x=1, y=None), any=None)"),
    ("repr of nothing", lambda: repr(Empty()), "Empty()"),
    ("str", lambda: str(Point(x=1)), "x=1 y=None"),
    ("str of nothing", lambda: str(Empty()), ""),
    ("repr without a field", lambda: repr(Point.model_construct()), "Point(y=None)"),
    ("equal", lambda: Point(x=1) == Point(x=1, y=None), True),
    ("unequal", lambda: Point(x=1) == Point(x=2), False),
    ("unequal to a subclass", lambda: Point(x=1) == SubPoint(x=1), False),
    ("unequal to a dict", lambda: Point(x=1) == {"x": 1, "y": None}, False),
    ("unequal by extra", lambda: Open(a=1) == Open(a=2), False),
    ("equal whatever stands beside", lambda: assign(Point(x=1), "_note", 1) == Point(x=1), True),
    ("hash", lambda: hash(Point(x=1)), Raised("TypeError", "unhashable type: 'Point'")),
    ("hash when frozen", lambda: hash(Frozen(x=1)) == hash(Frozen(x=1)), True),
    ("iterate", lambda: list(Point(x=1)), [("x", 1), ("y", None)]),
    ("iterate over extra", lambda: list(Open(more=2)), [("x", 0), ("more", 2)]),
    ("dict of it", lambda: dict(Nested()), {"point": Point(x=1), "any": None}),
    ("set a field", lambda: vars(assign(Point(x=1), "x", "a")), {"x": "a", "y": None}),
    ("set a field names it", lambda: assign(Point(x=1), "y", None).model_fields_set, {"x", "y"}),
    ("set what is no field", lambda: assign(Point(x=1), "z", 1),
     Raised("ValueError", '"Point" object has no field "z"')),
    ("set what is forbidden", lambda: assign(Closed(), "z", 1),
     Raised("ValueError", '"Closed" object has no field "z"')),
    ("set what is allowed", lambda: assign(Open(), "z", 1).model_extra, {"z": 1}),
    ("set a method", lambda: assign(Noted(a=1), "method", 1),
     Raised("ValueError", '"Noted" object has no field "method"')),
    ("set when frozen", lambda: assign(Frozen(), "x", 1),
     Refused(("frozen_instance", ("x",), 1, "Instance is frozen"))),
    ("delete a field", lambda: delete(Point(x=1), "y"), ({"x": 1}, None)),
    ("delete what is no field", lambda: delete(Point(x=1), "z"),
     Raised("AttributeError", "'Point' object has no attribute 'z'")),
    ("delete an extra", lambda: delete(Open(z=1), "z"), ({"x": 0}, {})),
    ("get what is no field", lambda: getattr(Point(x=1), "z"),
     Raised("AttributeError", "'Point' object has no attribute 'z'")),
    ("get an extra", lambda: getattr(Open(z=1), "z"), 1),
    ("get from the class", lambda: getattr(Point, "y"), Raised("AttributeError", "y")),
    ("fields set", lambda: SubPoint(x=1, z="a").model_fields_set, {"x", "z"}),
    ("fields set by default", lambda: Empty().model_fields_set, set()),
    ("no extra", lambda: Point(x=1).model_extra, None),
    ("extra", lambda: Open(a=1).model_extra, {"a": 1}),
    ("empty extra", lambda: Open().model_extra, {}),
    ("copy", lambda: Point(x=1).model_copy(), Point(x=1)),
    ("copy and update", lambda: vars(Point(x=1).model_copy(update={"y": "wrong"})), {"x": 1, "y": "wrong"}),
    ("copy and update names it", lambda: Point(x=1).model_copy(update={"y": 1}).model_fields_set, {"x", "y"}),
    ("copy and update an extra", lambda: Open(a=1).model_copy(update={"b": 2, "x": 3}), Open(x=3, a=1, b=2)),
    ("copy and update what is no field", lambda: vars(Point(x=1).model_copy(update={"z": 2})),
     {"x": 1, "y": None, "z": 2}),
    ("validate an instance", lambda: Point.model_validate(SubPoint(x=1)), SubPoint(x=1)),
    ("validate another", lambda: Point.model_validate(Open(x=1)), Refused(("model_type", (), Open(x=1),
     "Input should be a valid dictionary or instance of Point", {"class_name": "Point"}))),
    ("parametrize", lambda: getattr(Point, "__class_getitem__")(int), Raised("TypeError",
     "<class 'test_model.Point'> cannot be parametrized because it does not inherit from typing.Generic")),
    ("names", lambda: list(SubPoint.model_fields), ["x", "y", "z"]),
    ("computed names", lambda: list(Noted.model_computed_fields), ["double"]),
    ("required", lambda: {name: field.is_required() for name, field in Noted.model_fields.items()},
     {"a": True, "b": False}),
    ("default", lambda: SubPoint.model_fields["z"].get_default(), "z"),
    ("description", lambda: SubPoint.model_fields["z"].description, "The last."),
    ("annotation", lambda: Point.model_fields["x"].annotation, int),
    ("rebuild", lambda: (Point.model_rebuild(), Point.model_rebuild(force=True)), (None, True)),
    ("config", lambda: (Open.model_config, Point.model_config), ({"extra": "allow"}, {})),
    ("method", lambda: Noted(a=1).method(), "called"),
    ("property", lambda: Noted(a=1).plain, 7),
    ("computed", lambda: Noted(a=2).double, 4),
]


@pytest.mark.parametrize("act, expected", rows(CALLS))
def test_call(act: Callable[[], Any], expected: Any) -> None:
    assert_same(observe(act), expected)


# id, class, signature
SIGNATURES: List[Tuple[str, Any, Any]] = [
    # Types in today's spelling on every Python, as Harbor itself writes them.
    ("fields", Point, "(*, x: int, y: list[int] | None = None) -> None"),
    ("description and limits", Noted, "(*, a: int, b: list[int] = <factory>) -> None"),
    ("extra", Open, "(*, x: int = 0, **extra_data: Any) -> None"),
    ("nothing", Empty, "() -> None"),
    ("model as default", Nested, "(*, point: Point = Point(x=1, y=None), any: Any = None) -> None"),
]


@pytest.mark.parametrize("kind, text", rows(SIGNATURES))
def test_signature(kind: Any, text: Any) -> None:
    assert_same(str(inspect.signature(kind)).replace("typing.", "").replace("test_model.", ""), text)


DOUBLES: List[Tuple[str, Callable[[Any], Any]]] = [
    ("copy", copy.copy),
    ("deepcopy", copy.deepcopy),
    ("model_copy", lambda made: made.model_copy()),
    ("model_copy deep", lambda made: made.model_copy(deep=True)),
    ("pickle", lambda made: pickle.loads(pickle.dumps(made))),
    ("pickle 2", lambda made: pickle.loads(pickle.dumps(made, 2))),
    ("replace", lambda made: made.__replace__()),
]


@pytest.mark.parametrize("double", rows(DOUBLES))
@pytest.mark.parametrize("made", [
    Point(x=1), SubPoint(x=1, y=[2]), Open(a=[1]), Frozen(x=1), Nested(any=[Point(x=2)]), Point.model_construct(y=5),
], ids=lambda made: type(made).__name__)
def test_doubles_are_equal_and_apart(made: Any, double: Callable[[Any], Any]) -> None:
    found = double(made)
    assert found is not made
    assert_same(found, made)
    assert vars(found) is not vars(made)
    assert found.model_fields_set is not made.model_fields_set
    if made.model_extra is not None:
        assert found.model_extra is not made.model_extra


def test_a_shallow_copy_shares_its_parts_and_a_deep_one_does_not() -> None:
    made = Point(x=1, y=[2])
    assert made.model_copy().y is made.y
    assert copy.copy(made).y is made.y
    assert made.model_copy(deep=True).y is not made.y
    assert copy.deepcopy(made).y is not made.y


def test_a_deep_copy_follows_a_loop() -> None:
    made = Nested()
    made.any = [made]
    found = copy.deepcopy(made)
    assert found.any[0] is found


def test_an_instance_is_a_dataclass() -> None:
    made = SubPoint(x=1, y=[2])
    assert dataclasses.is_dataclass(made) and dataclasses.is_dataclass(SubPoint)
    assert [field.name for field in dataclasses.fields(made)] == ["x", "y", "z"]
    assert dataclasses.asdict(made) == {"x": 1, "y": [2], "z": "z"}
    assert dataclasses.astuple(made) == (1, [2], "z")
    changed = dataclasses.replace(made, x="5")  # a lax value, checked
    assert_same(vars(changed), {"x": 5, "y": [2], "z": "z"})


def test_a_class_is_a_dataclass_with_what_its_fields_say() -> None:
    @dataclasses.dataclass
    class Beside:
        first: int = dataclasses.field(default=1, compare=False)
        passed: dataclasses.InitVar[int] = 2
        shared: ClassVar[int] = 3

    class Above(Model):
        x: int
        y: List[int] = []
        z: str = Field("z", description="The last.", min_length=1)

    class Own(Above, Beside):
        made: Dict[str, int] = Field(default_factory=dict)
        hidden: int = dataclasses.field(default=4, repr=False, metadata={"ge": 2})
        passed_on: dataclasses.InitVar[int] = 5
        constant: ClassVar[int] = Field(6)
        y: List[int] = [7]

    fields = {field.name: field for field in dataclasses.fields(Own)}
    assert list(fields) == ["first", "x", "y", "z", "made", "hidden"] == list(Own.model_fields)
    assert [name for name, field in fields.items() if not field.repr] == ["hidden"]
    assert [name for name, field in fields.items() if not field.compare] == ["first"]
    assert fields["z"].default == "z" and fields["z"].metadata == {"description": "The last.", "min_length": 1}
    assert fields["made"].default_factory is dict and fields["x"].default is dataclasses.MISSING
    assert fields["y"].type == List[int] and Own(x=1).y == [7]
    assert Own.__dict__["constant"] == 6
    assert not hasattr(Own, "hidden") and not hasattr(Own, "made")
    # Nobody asked the base before; it has fields of its own.
    assert [field.name for field in dataclasses.fields(Above)] == ["x", "y", "z"]
    assert dataclasses.fields(Own) == dataclasses.fields(Own)
    assert_same(vars(dataclasses.replace(Own(x=1), y=[2])), {
        "first": 1, "x": 1, "y": [2], "z": "z", "made": {}, "hidden": 4})
    with pytest.raises(ValidationError, match="greater than or equal to 2"):
        Own(x=1, hidden=1)


def test_what_takes_the_place_of_a_field_is_none() -> None:
    class Above(Model):
        x: int = 1
        y: int = 2

    class Shared(Above):
        x: ClassVar[int] = 5  # type: ignore[misc]

    class Passed(Above):
        x: dataclasses.InitVar[int] = Field(5)

    class Untold(Above):
        z: ClassVar[int] = Field(description="No default.")

    for cls in (Shared, Passed):
        assert list(cls.model_fields) == ["y"] == [field.name for field in dataclasses.fields(cls)]
        assert vars(cls)["x"] == 5 and vars(cls()) == {"y": 2}
    assert not hasattr(Untold, "z") and list(Untold.model_fields) == ["x", "y"]


def test_a_default_is_what_a_class_gives_under_its_name() -> None:
    class Seven:
        def __get__(self, instance: Any, owner: Any) -> int:
            return 7

    class Named:
        def __set_name__(self, owner: Any, name: str) -> None:
            told.append((owner.__name__, name))

    told: List[Tuple[str, str]] = []

    class Given(Model):
        call: Any = staticmethod(len)
        seven: int = Seven()  # type: ignore[assignment]
        named: Any = Field(Named())

    assert (Given().call, Given().seven) == (len, 7)
    assert [field.default for field in dataclasses.fields(Given)][:2] == [len, 7]
    assert told == [("Given", "named")]


def test_what_dataclasses_refuses_in_a_field_is_refused() -> None:
    @dataclasses.dataclass(frozen=True)
    class FrozenPlain:
        x: int = 1

    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        class Thawed(FrozenPlain, Model):  # type: ignore[misc]
            y: int = 2
    with pytest.raises(TypeError, match="field x cannot have a default factory"):
        class Made(Model):
            x: ClassVar[List[int]] = Field(default_factory=list)
    with pytest.raises(TypeError, match="starts with an underscore"):
        class Hidden(Model):
            _x: dataclasses.InitVar[int] = 3
    with pytest.raises(ValueError, match="cannot specify both default and default_factory"):
        Field(3, default_factory=int)
    for value in (Field(3), dataclasses.field(default=3)):
        with pytest.raises(TypeError, match="'x' of .*Untyped is a field but has no type annotation"):
            class Untyped(Model):
                x = value


def test_a_field_of_a_plain_dataclass_is_one_of_its_own() -> None:
    @dataclasses.dataclass
    class Plain:
        x: int = Field(3, ge=2)
        y: List[int] = Field(default_factory=list)

    assert Plain() == Plain(3, []) and [field.name for field in dataclasses.fields(Plain)] == ["x", "y"]
    made = dataclasses.make_dataclass("Made", [("x", int, Field(3, ge=2))])
    assert [(field.default, dict(field.metadata)) for field in dataclasses.fields(made)] == [(3, {"ge": 2})]
    with pytest.raises(ValidationError, match="greater than or equal to 2"):
        TypeAdapter(Plain).validate_python({"x": 1})


@pytest.mark.skipif(sys.platform == "emscripten", reason="Pyodide has no threads")
def test_threads_that_ask_a_class_for_its_fields_at_once_get_the_same_ones() -> None:
    for _ in range(20):
        class Asked(Model):
            x: int
            y: List[int] = []

        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda cls: [field.name for field in dataclasses.fields(cls)], [Asked] * 8))
        assert found == [["x", "y"]] * 8


def test_an_instance_can_be_referred_to_weakly() -> None:
    import weakref

    made = Point(x=1)
    assert weakref.ref(made)() is made


@pytest.mark.skipif(sys.version_info < (3, 10), reason="there is no match before 3.10")
def test_an_instance_matches_by_name() -> None:
    scope: Dict[str, Any] = {"made": Point(x=1), "Point": Point}
    exec("match made:\n    case Point(x=found):\n        pass", scope)
    assert scope["found"] == 1


def test_config_by_class_keyword_or_attribute_is_inherited() -> None:
    class ByName(Model):
        model_config = {"extra": "forbid"}

    class Child(ByName):
        x: int = 0

    class Loose(Child, extra="ignore"):
        pass

    assert ByName.model_config == {"extra": "forbid"}
    assert Child.model_config == {"extra": "forbid"}
    assert Loose.model_config == {"extra": "ignore"}
    assert_same(observe(lambda: Child(y=1)), Refused(
        ("extra_forbidden", ("y",), 1, "Extra inputs are not permitted")))
    assert Loose(y=1) == Loose()


def make_class(**config: Any) -> Callable[[], Any]:
    def make() -> Any:
        class Bad(Model, **config):
            pass

        return Bad

    return make


def test_config_that_is_not_known_is_refused() -> None:
    place = "make_class.<locals>.make.<locals>.Bad"
    assert_same(observe(make_class(str_strip_whitespace=True)), Raised(
        "TypeError", place + " sets str_strip_whitespace, which this codec does not know; it knows: extra, frozen"))
    assert_same(observe(make_class(extra="keep")), Raised(
        "ValueError", place + " sets extra='keep'; it must be 'ignore', 'allow' or 'forbid'"))


def test_a_field_with_an_underscore_is_refused() -> None:
    def make() -> Any:
        class Bad(Model):
            _x: int = 0

        return Bad

    place = "test_a_field_with_an_underscore_is_refused.<locals>.make.<locals>.Bad"
    text = "Field '_x' of %s starts with an underscore, which no field may" % place
    assert_same(observe(make), Raised("TypeError", text))


def test_a_property_cannot_be_assigned() -> None:
    made = Noted(a=1)
    for name in ("plain", "double", "model_extra", "model_fields_set"):
        with pytest.raises(AttributeError):
            setattr(made, name, 1)


def test_arguments_by_position_are_refused() -> None:
    kind: Any = Point
    with pytest.raises(TypeError):
        kind(1)


def test_methods_and_properties_survive_the_making_of_a_class() -> None:
    class Shadow(Point):
        def model_dump(self, **options: Any) -> Dict[str, Any]:
            return dict(super().model_dump(**options), more=1)

    assert Shadow(x=1).model_dump() == {"x": 1, "y": None, "more": 1}


def test_a_class_executed_outside_of_any_module_works() -> None:
    source = (
        "class Inner(Model):\n    x: int\n"
        "class Outer(Model):\n    inner: Inner\n    more: 'Optional[List[Inner]]' = None\n"
        "    tree: 'Optional[Outer]' = None\n")
    scope: Dict[str, Any] = {"Model": Model, "Optional": Optional, "List": List, "__name__": "not_in_sys_modules"}
    exec(source, scope)
    assert "not_in_sys_modules" not in sys.modules
    made = scope["Outer"].model_validate_json('{"inner": {"x": 1}, "more": [{"x": "2"}], "tree": {"inner": {"x": 3}}}')
    assert made.model_dump(exclude_none=True) == {"inner": {"x": 1}, "more": [{"x": 2}], "tree": {"inner": {"x": 3}}}
    assert repr(made.tree.inner) == "Inner(x=3)"


def test_assignments_are_not_checked_and_the_dump_warns() -> None:
    made = Point(x=1)
    made.x = "a"  # type: ignore[assignment]  # the point of the test
    found = observe(made.model_dump_json)
    assert_same(found, Warned('{"x":"a","y":null}', unexpected("int", "'a'", "str", "x")))


def test_a_warning_points_at_the_caller() -> None:
    made = Point.model_construct(x="a")
    with pytest.warns(UserWarning) as caught:
        made.model_dump()
        made.model_dump_json()
    assert [warning.filename for warning in caught] == [__file__, __file__]


def test_field_info_shows_what_it_holds() -> None:
    info = SubPoint.model_fields["z"]
    assert isinstance(info, FieldInfo)
    assert repr(Noted.model_fields["b"]) == "FieldInfo(annotation=List[int], required=False, default_factory=list)"
    assert repr(Noted.model_fields["a"]) == "FieldInfo(annotation=int, required=True, description='First.')"
