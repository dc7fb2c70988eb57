"""The Python interface against the real one: every row runs in both modules.

``c`` is the module, ``E`` its ExprTree, ``A`` its ClassAd.  Results are compared by ``repr`` and
type; an exception must be of the same builtin kind.  Rows where we differ on purpose are in
``test_api.py`` with the reason.
"""

from __future__ import annotations

import copy
import datetime
import pickle
from types import ModuleType
from typing import Any

import pytest

import classad
from tests.cases import every_case

# The values are compared; what is warned of beside them is in test_v1.py.
pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore::classad.V1Warning")]

ROWS = r"""
c.quote('a"b\n\t\\\x01é\x7f')
c.quote(None)
c.quote(5)
c.quote('a\0b')
c.unquote('"a\\"b"')
c.unquote(' "a" ')
c.unquote('"a" "b"')
c.unquote('a')
c.unquote('5')
c.unquote('"a')
c.unquote(5)
c.unquote('"\\377"')
c.unquote('')
c.unquote('("a")')
c.unquote('"a" junk')
c.unquote('undefined')
c.unquote('{"a"}')
c.Value(4)
c.Value.Error, c.Value.Undefined, str(c.Value.Error), bool(c.Value.Error), c.Value.Error == 1
pickle.loads(pickle.dumps(c.Value.Error))
[(p.name, p.value) for p in c.ParserType], c.Parser is c.ParserType
A('[a=1]'), A(None), A(), A({})
A(' \n[a=1]'), A('/*c*/[a=1]'), A('//c\n[a=1]'), A('[a=1] junk')
A('[a=1;;b=2;]'), A('[;a=1]'), A('[a=1;A=2]'), A("['a b'=1]")
A('junk')
A('[a=1')
A('')
A(5)
A([('a', 1)])
A(b'[a=1]')
A('[a=010]')
A('[a=1]\0')
A({'a': None, 'b': True, 'c': 2, 'd': 2.5, 'e': 'x"\n', 'f': c.Value.Error})
A({'a': float('nan'), 'b': float('inf'), 'c': float('-inf'), 'd': -0.0})
A({'a': [1, 'x', None, [2], {'b': 3}], 'b': (1,), 'c': {1}, 'd': range(3)})
A({'a': bytearray(b'ab'), 'b': memoryview(b'ab'), 'c': (i for i in [1, 2]), 'd': b'xy'})
A({'a': {'b': {'c': 1}}, 'A': 5})
A({'a': E('x + 1'), 'b': E('5'), 'c': E('{1,x}'), 'd': A('[q=1]')})
A({'a': datetime.datetime(2024, 1, 2, 3, 4, 5, 999999, tzinfo=datetime.timezone.utc)})
A({'a': datetime.datetime(1969, 12, 31, tzinfo=datetime.timezone.utc)})
A({'a': datetime.datetime(2024, 1, 2, 3, 4, 5)})
A({'é': 1}), A('[a="é"]')['a'], E('"é"').eval(), str(E('"\377"'))
A({'a': b'\xff'})['a']
A('[a=1]')['a'], A('[a="x"]')['A'], A('[a=x+1]')['a'], A('[a=(1)]')['a'], A('[a=-1]')['a']
A('[a=absTime("2020-01-02T03:04:05+01:00")]')['a'], A('[a=relTime("1.5")]')['a']
type(A('[a=relTime(5)]')['a']).__name__, type(A('[a= - 1]')['a']).__name__
A('[f={1,x,{2,y},[q=1;z=x]}]')['f'], A('[g=[q=x;p={1}]]')['g']
A('[a=undefined;b=error]')['a'], A('[a=undefined;b=error]')['b']
A()['x']
A()[5]
5 in A()
'x' in A('[X=1]')
A().eval('x')
A().eval(5)
A().lookup('x')
A().lookup(5)
A().__setitem__('', 1)
A().__setitem__('a', object())
A().__setitem__('a', datetime.date(2020, 1, 1))
A().__setitem__('a\0b', 1)
A().__setitem__(5, 1)
A().__delitem__('a')
A().__delitem__(5)
put(A('[Ab=1]'), 'AB', 2), put(A(), 'a b', 1), put(A(), '1a', 1), put(A(), 'true', 1)
put(A('[a=1]'), 'b', E('a')), put(A('[a=1]'), 'b', {'x': E('a')}), put(A(), 'b', [E('a')])
list(A('[zz=1;a=2;M=3;b=4]')), len(A('[a=1;b=2]')), bool(A()), bool(A('[a=1]'))
list(A('[b=1;a=x]').items()), list(A('[b=1;a=2]').keys()), list(A('[b=1;a=2]').values())
A('[a=1]').items(), A('[a=1]').keys()
A('[a=1]').get('A'), A('[a=1]').get('b'), A('[a=1]').get('b', 7)
A('[a=1]').pop('A'), A('[a=1]').popitem(), A('[a=1]').setdefault('b'), A('[a=1]').setdefault('a', 2)
A().popitem()
A().pop('x')
upd(A('[a=1]'), {'a': 2, 'b': 3}), upd(A('[a=1]'), [('c', 1)]), upd(A(), A('[x=y]'))
A('[a=1]') == A('[A=1]'), A('[a=1;b=2]') == A('[b=2;a=1]'), A('[a=1]') == A('[a=1.0]')
A('[a=1]') == {'a': 1}, A('[a=1]') != A('[a=2]'), A('[a=x]') == A('[a=X]'), A() == 5
A('[a=[b=1;c=2]]') == A('[a=[C=2;B=1]]'), A('[a="x"]') == A('[a="X"]'), A('[a=(1)]') == A('[a=1]')
hash(A())
A() < A()
A() | {}
isinstance(A(), __import__('collections.abc').abc.MutableMapping)
A('[a=1;b=a+1]').eval('b'), A('[a=a]').eval('a'), A('[a=1/0]').eval('a'), A('[a=nof(1)]').eval('a')
A('[a={x};x=1]').eval('a'), A('[x=[z=y;w=3];y=2]').eval('x'), A('[a=1]').lookup('A')
A('[a=1;b=a]').lookup('b').eval()
A('[a=1]').flatten(E('1/0')), A('[a=1]').flatten(E('{a}')), A('[a={1}]').flatten(E('a'))
A('[a=[b=1]]').flatten(E('a')), A('[a=[b=1]]').flatten(E('a.b')), A('[x=2]').flatten(E('y*x*3'))
A('[x=2]').flatten(E('MY.x + TARGET.y')), A().flatten(E('true && y')), A().flatten(E('y && false'))
A('[a=a]').flatten(E('a'))
A().flatten('x')
A('[a=a]').externalRefs(E('a'))
A('[a=1;b=c]').externalRefs(E('b + TARGET.z + other.q.r + B'))
A('[a=1;b=a;B2=c]').internalRefs(E('b + TARGET.z + a + B2')), A('[a=1]').internalRefs(E('z'))
A().externalRefs(E('1')), A().externalRefs(E('MY.w')), A().externalRefs(E('a.b.c'))
A().externalRefs('x')
A().internalRefs(5)
A('[foo=3]').matches(A('[Requirements = foo==3]')), A('[foo=3]').matches(A())
A().matches(A('[Requirements=2.5]')), A().matches(A('[Requirements=0]'))
A().matches(A('[requirements="true"]')), A().matches(A('[requirements=TARGET.x]'))
A('[x=1;requirements=true]').symmetricMatch(A('[requirements=TARGET.x==1]'))
A().symmetricMatch(A()), A('[requirements=true]').symmetricMatch(A())
A().matches(5)
A().matches({})
A('[a=1;b="x\\ny";c={1,x+1};d=1.0;e=1e300]').printOld(), A().printOld()
A("['a b'=\"é\\\\\"]").printOld(), A('[x=a=?=b]').formatOld()
A('[a=1;b=x;c=undefined;d=error;e=1.0;f=real("INF");g={1,{}};h=[];i="é\\001/"]').printJson()
A('[a=absTime("2020-01-02T03:04:05Z");b=relTime("5")]').formatJson()
str(A('[a=1;b=[c={1,[d=2]}]]')), repr(A('[bb=1;a={}]')), str(A()), repr(A())
copy.copy(A('[a=x]')), copy.deepcopy(A('[a=x]')), pickle.loads(pickle.dumps(A('[a=x;b="é"]')))
E(), E(None), E('1+1'), E(5), E(1.5), E(True), E(A('[a=1]')), E(E('x'))
E(' 1'), E('\n1\n'), E('!x'), E('-x'), E('-5'), E("'a b'"), E('f(a,  b)'), E('a=?=b')
str(E('{1,2}')), str(E('[a=1]')), str(E('f({1})'))
E('')
E('1 +')
E('1,2')
E([1])
E({'a': 1, 'b': 2})
E('x').eval(5)
E('x').eval(None, 5)
E('x').eval({})
E('x').eval(), E('1/0').eval(), E('1+1').eval(), E('"a"').eval(), E('{1,x,1+1}').eval()
E('{relTime(1.5), absTime("2020-01-02T03:04:05+01:00"), x, {y,1}, [a=x]}').eval()
E('{x}[0]').eval(A('[x={1,y};y=2]')), E('x').eval(A('[x=[z=y;w=3];y=2]')).eval('z')
E('TARGET.a').eval(A(), A('[a=1]')), E('a').eval(A(), A('[a=1]')), E('a').eval(target=A('[a=1]'))
E('MY.a').eval(A('[a=1]')), E('MY.a + TARGET.a').eval(A('[a=1]'), A('[a=2]'))
E('x').eval(A('[x=1]'), A('[x=2]')), same(lambda ad: E('TARGET.x').eval(ad, ad), A('[x=1]'))
E('relTime(1.7)').eval(), E('relTime("1.7")').eval(), E('absTime("2020-01-02T03:04Z")').eval()
E('9223372036854775807 + 1').eval(), E('x ?: 5').eval(), E('"a" == "A"').eval()
E('random(0)').eval()
E('isError(random(0))').eval()
A('[x=random(0)]').eval('x')
E('random(0)').simplify()
E('1+1').simplify(), E('{x,1}').simplify(A('[x=1]')), E('relTime(5)').simplify(), E('x').simplify()
E('[a=x]').simplify(), E('y').simplify(A('[y="z"]')), E('TARGET.q').simplify(A(), A('[q=1]'))
E('x').simplify(5)
E('x+1') == E('x + 1'), E('(x)') == E('x'), E('f(x)') == E('F(x)'), E('1') == E('1.0')
E('x') == 5, E('x') != E('y'), E('x') != E('x'), E('x') == None
hash(E('x'))
E('x') < E('y')
E('x') + 1
E('x')['a']
bool(E('false')), bool(E('undefined'))
copy.copy(E('x + 1'))
list(c.parseAds('a=1\n\nb=2')), list(c.parseAds('[a=1][b=2]')), list(c.parseAds(''))
list(c.parseAds('a=1\njunk\nb=2\n\nc=3')), list(c.parseAds('a = 1\r\n\r\nb = 2\r\n'))
list(c.parseAds('// c\n[a=1]')), list(c.parseAds('/* c */ [a=1]')), list(c.parseAds('[a=1'))
list(c.parseAds('a=1\n  #x\nb=2')), list(c.parseAds('[a=1] junk [b=2]'))
list(c.parseAds('[]')), list(c.parseAds('   ')), list(c.parseAds('a=1\n \t \nb=2'))
list(c.parseAds('[a=1]', c.ParserType.Old)), list(c.parseAds('[a=1]\n//c\n[b=2]', c.ParserType.New))
list(c.parseAds('a=1', c.ParserType.New))
list(c.parseAds('[a=1] junk [b=2]', c.ParserType.New))
list(c.parseAds('{"a":1}\n{"b":"\\/Expr(x)\\/"}', c.ParserType.JSON))
list(c.parseAds('<classads><c><a n="a"><i>1</i></a></c></classads>', c.ParserType.XML))
c.parseOne('a=1\nb=1\n\nB=2'), c.parseOne(''), c.parseOne('[a=1][b=a]')
c.parseNext('a=1\n\nb=2'), c.parseNext(''), c.parseNext('[a=1][b=2]'), c.parseNext('junk')
E('7 == "7"').eval() and c.lastError()
E('debug(7 == "7")').eval() and c.lastError()
c.ClassAdException.__mro__[1].__name__, issubclass(c.ClassAdException, Exception)
A('[a=1]').newattribute
attributes(A('[a=1]'))
"""


def put(ad: Any, key: str, value: Any) -> Any:
    ad[key] = value
    return ad


def upd(ad: Any, other: Any) -> Any:
    ad.update(other)
    return ad


def same(function: Any, ad: Any) -> Any:
    return function(ad)


def attributes(ad: Any) -> Any:
    ad.extra = 5
    return ad.extra, hasattr(pickle.loads(pickle.dumps(ad)), "extra")


def outcome(row: str, module: ModuleType) -> tuple[Any, ...]:
    """The result's type and text, or what kind of exception was raised."""
    names = {
        "c": module, "A": module.ClassAd, "E": module.ExprTree, "put": put, "upd": upd,
        "same": same, "attributes": attributes, "copy": copy, "pickle": pickle,
        "datetime": datetime,
    }  # fmt: skip
    try:
        result = eval(row, names)
    except Exception as problem:
        return ("raises", problem)
    return (type(result).__name__, repr(result))


@every_case("row", [row for row in ROWS.strip().splitlines() if row])
def test_row(row: str) -> None:
    real_module = pytest.importorskip("classad2")
    pytest.importorskip("htcondor2")
    real, ours = outcome(row, real_module), outcome(row, classad)
    if real[0] != "raises":
        assert ours == real
        return
    assert ours[0] == "raises", ours
    kind = type(real[1])
    if kind is real_module.ClassAdException:
        assert isinstance(ours[1], classad.ClassAdException)
    elif kind is not SystemError:
        assert isinstance(ours[1], kind), repr(ours[1])
    if isinstance(real[1], KeyError | TypeError) and "got" not in str(real[1]):
        assert str(ours[1]).partition("\n")[0][:18] == str(real[1]).partition("\n")[0][:18]
